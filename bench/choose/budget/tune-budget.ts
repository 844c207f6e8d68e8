// Choosing a call budget: the smallest one with which a share of nights finishes. Searched on some nights, measured on others,
// and held against a closed form where there is one.

import type { StrategySettings } from '../../../clients/strategies/settings.ts';
import type { Trial } from '../../run/trial.ts';
import type { TrialSource } from '../../run/trial-source.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { leastValues, type QuantileEstimate, quantileEstimate } from '../../statistics/quantile-interval.ts';
import { type ShareEstimate, shareEstimate } from '../../statistics/share-interval.ts';
import { closedForm, closedLine, type NoClosedForm } from './closed-form.ts';
import { finishing, type Needs, type NightNeeds, needsOf } from './needs.ts';
import { type AtFactor, type BurstEstimates, Sensitivity, type Survival } from './sensitivity.ts';

export interface BudgetSettings {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly settings: StrategySettings;
  /** Share of nights that are to finish. */
  readonly target: number;
  readonly seed: number;
  /** Nights of the search; those of the measurement have the seeds behind them, and those of the sensitivity the next. */
  readonly nights: number;
  readonly fresh: number;
  /** 0 for none. */
  readonly sensitivityNights: number;
  /** Budgets that the user asks about. */
  readonly lines: readonly number[];
}

export interface NightsEstimate {
  readonly firstSeed: number;
  readonly nights: number;
  /** The smallest budget with which the target share of these nights finishes. */
  readonly line: QuantileEstimate;
  /** Nights that finish when nothing cuts them. */
  readonly finishing: ShareEstimate;
}

/** A budget of the user's. */
export interface LineEstimate {
  readonly calls: number;
  /** How far it is above the tuned line (below: negative), as a share of that. */
  readonly over: number;
  readonly finishes: ShareEstimate;
  /** Mean share of the items that are done with it. */
  readonly done: number;
  readonly survival: Survival | undefined;
}

export interface CurvePoint {
  readonly budget: number;
  readonly finishes: ShareEstimate;
  readonly done: number;
}

/** What follows from the nights alone. */
export interface TunedLine {
  readonly search: NightsEstimate;
  readonly fresh: NightsEstimate;
  /** Share of the fresh nights that the line of the search lets finish. */
  readonly finishes: ShareEstimate;
  /** Whether that share, within its interval, is the target or more. */
  readonly confirmed: boolean;
  readonly closedForm: ClosedFormFigures | NoClosedForm;
  /** Share of calls that fail on the fresh nights. */
  readonly failing: number;
  /** Nights from which an interval has both ends. */
  readonly leastNights: number;
}

export interface BudgetTuning extends TunedLine {
  readonly lines: readonly LineEstimate[];
  readonly curve: readonly CurvePoint[];
  readonly factors: readonly AtFactor[];
  readonly bursts: BurstEstimates;
  readonly discrepancies: number;
}

export interface ClosedFormFigures {
  readonly mean: number;
  readonly sd: number;
  readonly failing: number;
  readonly exact: number;
  readonly normal: number;
  readonly assumes: readonly string[];
}

/** Faults so many times as often, for the table. */
const FACTORS = [0.5, 0.75, 1.25, 1.5] as const;

export async function tuneBudget(
  settings: BudgetSettings,
  pool: TrialSource,
  onTrial: (part: 'search' | 'fresh', trial: Trial) => void,
  onNight: (nights: number) => void,
): Promise<BudgetTuning> {
  const { scenario, settings: strategy, target, seed, nights, fresh, lines } = settings;
  const part = async (name: 'search' | 'fresh', firstSeed: number, count: number, marks: readonly number[]) =>
    needsOf({ scenario, settings: strategy, firstSeed, nights: count, marks }, pool, (trial) => {
      onTrial(name, trial);
      onNight(1);
    });
  const searched = await part('search', seed, nights, []);
  const marks = marksOf(searched, lines);
  const measured = await part('fresh', seed + nights, fresh, marks);
  const tuned = tunedLine(settings, searched, measured);
  const { value } = tuned.search.line;
  const sensitivity = new Sensitivity(
    { scenario, settings: strategy, target, firstSeed: seed + nights + fresh, nights: settings.sensitivityNights },
    pool,
    onNight,
  );
  const elsewhere = settings.sensitivityNights > 0 && Number.isFinite(value);
  const linesAsked: LineEstimate[] = [];
  for (const calls of lines) {
    const survival = elsewhere ? await sensitivity.survival(calls) : undefined;
    linesAsked.push({ calls, over: calls / value - 1, ...pointAt(measured, marks, calls), survival });
  }
  const factors = elsewhere ? await sensitivity.factors(value, FACTORS) : [];
  const bursts = elsewhere ? await sensitivity.bursts(value, measured.failing) : { rows: [], neverAsBad: [] };
  return {
    ...tuned,
    lines: linesAsked,
    curve: marks.map((budget) => ({ budget, ...pointAt(measured, marks, budget) })),
    factors,
    bursts,
    discrepancies: searched.discrepancies + measured.discrepancies + sensitivity.discrepancies,
  };
}

/** What the nights say, without those elsewhere. */
export function tunedLine(settings: BudgetSettings, searched: NightNeeds, measured: NightNeeds): TunedLine {
  const { seed, target } = settings;
  const search = estimateOf(searched, seed, target);
  const finishes = shareEstimate(finishing(measured, search.line.value), measured.nights);
  return {
    search,
    fresh: estimateOf(measured, seed + searched.nights, target),
    finishes,
    confirmed: finishes.high >= target,
    closedForm: closedFigures(settings, searched.notByChance + measured.notByChance),
    failing: measured.failing,
    leastNights: leastValues(target),
  };
}

function estimateOf(needs: NightNeeds, firstSeed: number, target: number): NightsEstimate {
  return {
    firstSeed,
    nights: needs.nights,
    line: quantileEstimate(needs.sorted, target),
    finishing: shareEstimate(finishing(needs, Number.MAX_VALUE), needs.nights),
  };
}

/** Where a closed form's conditions are seen to be broken, it is none. */
function closedFigures(
  { scenario, settings, target }: BudgetSettings,
  notByChance: number,
): ClosedFormFigures | NoClosedForm {
  const form = closedForm(scenario, settings);
  if ('none' in form) return form;
  if (notByChance > 0)
    return { none: `${notByChance} calls of these nights were refused for their rate, by the quota or by an outage` };
  const { mean, sd, failing, assumes } = form;
  return { mean, sd, failing, assumes, ...closedLine(form, target) };
}

/** Even steps up to what the nights need, and steps in probability where the curve climbs. */
const EVEN_STEPS = 20;
const CLIMB = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1] as const;

function marksOf({ sorted }: NightNeeds, lines: readonly number[]): number[] {
  const finite = sorted.filter(Number.isFinite);
  const most = finite.at(-1) ?? 0;
  const even = Array.from({ length: EVEN_STEPS }, (_, step) => Math.round((most * (step + 1)) / EVEN_STEPS));
  const climb = finite.length === 0 ? [] : CLIMB.map((share) => quantileEstimate(finite, share).value);
  return [...new Set([...even, ...climb, ...lines])].filter((mark) => mark > 0).sort((a, b) => a - b);
}

/** What the measured nights say of a budget that is one of the marks. */
function pointAt(needs: Needs, marks: readonly number[], calls: number): Pick<CurvePoint, 'finishes' | 'done'> {
  const done = needs.doneAt[marks.indexOf(calls)];
  if (done === undefined) throw new RangeError(`${calls} is no mark`);
  return { finishes: shareEstimate(finishing(needs, calls), needs.nights), done };
}
