// How far a line holds when the night is another one than it was tuned on: faults more often, or in bursts.

import type { StrategySettings } from '../../../clients/strategies/settings.ts';
import type { TrialSource } from '../../run/trial-source.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type QuantileEstimate, quantileEstimate } from '../../statistics/quantile-interval.ts';
import { type ShareEstimate, shareEstimate } from '../../statistics/share-interval.ts';
import { hasBreaker, withoutBreaker } from './budgeted.ts';
import { closedForm, closedLine } from './closed-form.ts';
import { finishing, type Needs, needsOf } from './needs.ts';
import { BURSTS, type Bursts, hasIndependentFaults, inBursts, largestFactor, timesFaults } from './worse.ts';

export interface SensitivitySettings {
  readonly scenario: Scenario;
  readonly settings: StrategySettings;
  readonly target: number;
  readonly firstSeed: number;
  readonly nights: number;
}

/** What the task needs on another platform, and what becomes of a line that was tuned on this one. */
export interface ElsewhereEstimate {
  /** Share of calls that fail, on these nights. */
  readonly failing: number;
  readonly line: QuantileEstimate;
  readonly finishes: ShareEstimate;
  /** Share of items done when nothing cuts. */
  readonly done: number;
}

export interface AtFactor extends ElsewhereEstimate {
  readonly factor: number;
  /** The line in closed form, where there is one. */
  readonly closedForm: number | undefined;
}

export interface InBursts extends ElsewhereEstimate {
  /** What is held equal to the independent faults. */
  readonly equal: 'faults a second' | 'failing calls';
  readonly breaker: 'as it is' | 'left out' | 'none';
  readonly spells: Bursts;
}

/** Bursts, and the clients whose calls do not fail as often in any: a breaker waits the bad spells out. */
export interface BurstEstimates {
  readonly rows: readonly InBursts[];
  readonly neverAsBad: readonly InBursts['breaker'][];
}

/** The largest factor on the faults at which a line still meets the target. */
export interface Survival {
  readonly factor: number;
  readonly failing: number;
  /** Nights with such faults that finish. */
  readonly finishes: ShareEstimate;
  /** Whether it is read off the closed form, or found with nights. */
  readonly from: 'closed form' | 'nights';
}

export class Sensitivity {
  readonly #settings: SensitivitySettings;
  readonly #pool: TrialSource;
  readonly #onNight: (nights: number) => void;
  discrepancies = 0;

  constructor(settings: SensitivitySettings, pool: TrialSource, onNight: (nights: number) => void) {
    this.#settings = settings;
    this.#pool = pool;
    this.#onNight = onNight;
  }

  async factors(line: number, factors: readonly number[]): Promise<AtFactor[]> {
    const { scenario, settings, target } = this.#settings;
    const results: AtFactor[] = [];
    if (largestFactor(scenario) === undefined) return results;
    for (const factor of factors) {
      const worse = timesFaults(scenario, factor);
      const form = closedForm(worse, settings);
      const closed = 'none' in form ? undefined : closedLine(form, target).exact;
      results.push({ factor, closedForm: closed, ...this.#estimate(await this.#needs(worse, settings), line) });
    }
    return results;
  }

  /** Empty when the platform has no independent faults to put into bursts. */
  async bursts(line: number, failing: number): Promise<BurstEstimates> {
    const { scenario, settings } = this.#settings;
    const rows: InBursts[] = [];
    const neverAsBad: InBursts['breaker'][] = [];
    if (!hasIndependentFaults(scenario)) return { rows, neverAsBad };
    const clients: [InBursts['breaker'], StrategySettings][] = hasBreaker(settings)
      ? [
          ['as it is', settings],
          ['left out', withoutBreaker(settings)],
        ]
      : [['none', settings]];
    for (const [breaker, client] of clients) {
      const shapes: [InBursts['equal'], Bursts | undefined][] = [
        ['faults a second', BURSTS],
        ['failing calls', await this.#spellsFor(client, failing)],
      ];
      for (const [equal, spells] of shapes) {
        if (spells === undefined) {
          neverAsBad.push(breaker);
          continue;
        }
        const needs = await this.#needs(inBursts(scenario, spells), client);
        rows.push({ equal, breaker, spells, ...this.#estimate(needs, line) });
      }
    }
    return { rows, neverAsBad };
  }

  /** Undefined when the line does not meet the target even without faults; a factor of Infinity when no rate breaks it. */
  async survival(line: number): Promise<Survival | undefined> {
    const { scenario, settings } = this.#settings;
    const from = 'none' in closedForm(scenario, settings) ? 'nights' : 'closed form';
    if (!(await this.#holds(line, 0))) return undefined;
    const largest = largestFactor(scenario) ?? 0;
    let [low, high] = [0, largest];
    if (await this.#holds(line, high)) low = high;
    for (let step = 0; low < high && step < (from === 'nights' ? PILOT_STEPS : EXACT_STEPS); step++) {
      const middle = (low + high) / 2;
      if (await this.#holds(line, middle)) low = middle;
      else high = middle;
    }
    const needs = await this.#needs(timesFaults(scenario, low), settings);
    const finishes = shareEstimate(finishing(needs, line), needs.nights);
    return { factor: low === largest ? Number.POSITIVE_INFINITY : low, failing: needs.failing, finishes, from };
  }

  /** Whether the line meets the target with so many times the faults. */
  async #holds(line: number, factor: number): Promise<boolean> {
    const { scenario, settings, target } = this.#settings;
    const worse = timesFaults(scenario, factor);
    const form = closedForm(worse, settings);
    if (!('none' in form)) return closedLine(form, target).exact <= line;
    const needs = await this.#needs(worse, settings, SURVIVAL_NIGHTS);
    return finishing(needs, line) >= target * needs.nights;
  }

  /** How long bad spells must be, beside good ones of the usual length, for as many calls to fail; undefined for never. */
  async #spellsFor(client: StrategySettings, failing: number): Promise<Bursts | undefined> {
    const { scenario } = this.#settings;
    let low = BURSTS.badS;
    let high = BURSTS.goodS * LONGEST_BAD;
    const fails = async (badS: number) =>
      (await this.#needs(inBursts(scenario, { ...BURSTS, badS }), client, PILOT_NIGHTS)).failing;
    if ((await fails(high)) < failing) return undefined;
    for (let step = 0; step < PILOT_STEPS; step++) {
      const middle = Math.sqrt(low * high);
      if ((await fails(middle)) < failing) low = middle;
      else high = middle;
    }
    return { ...BURSTS, badS: Math.round(Math.sqrt(low * high)) };
  }

  #estimate(needs: Needs, line: number): ElsewhereEstimate {
    return {
      failing: needs.failing,
      line: quantileEstimate(needs.sorted, this.#settings.target),
      finishes: shareEstimate(finishing(needs, line), needs.nights),
      done: needs.done,
    };
  }

  async #needs(scenario: Scenario, settings: StrategySettings, nights = this.#settings.nights): Promise<Needs> {
    const { firstSeed } = this.#settings;
    const needs = await needsOf({ scenario, settings, firstSeed, nights }, this.#pool, () => this.#onNight(1));
    this.discrepancies += needs.discrepancies;
    return needs;
  }
}

/** Nights of a step of a search, for a mean and for a share of nights, and its steps. */
const PILOT_NIGHTS = 40;
const SURVIVAL_NIGHTS = 100;
const PILOT_STEPS = 6;
const EXACT_STEPS = 14;
/** Bad spells at most, as multiples of good ones. */
const LONGEST_BAD = 5;
