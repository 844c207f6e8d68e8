// What a tuned budget looks like on the screen.

import type { BurstEstimates, InBursts, Survival } from '../choose/budget/sensitivity.ts';
import type {
  BudgetSettings,
  BudgetTuning,
  ClosedFormFigures,
  LineEstimate,
  NightsEstimate,
} from '../choose/budget/tune-budget.ts';
import type { QuantileEstimate } from '../statistics/quantile-interval.ts';
import type { ShareEstimate } from '../statistics/share-interval.ts';
import { type Cell, line, mark, shown, table } from './screen.ts';

export function printTuning(settings: BudgetSettings, tuning: BudgetTuning): void {
  const { scenario, strategy, target } = settings;
  const { search, fresh, finishes, confirmed, leastNights } = tuning;
  line(
    `${mark.strong(`${scenario.name}, ${strategy}`)}: the smallest call budget with which ${share(target)} of nights finish, ` +
      `scenario ${scenario.hash.slice(0, 12)}`,
  );
  line();
  line(table(['', 'nights', 'seeds', 'line', '95 %', 'finish at all'], [row('tuned', search), row('fresh', fresh)]));
  const few = Math.min(search.nights, fresh.nights) < leastNights;
  if (few) line(`fewer than ${leastNights} nights are too few for an interval with two ends`);
  line();
  if (!Number.isFinite(search.line.value)) {
    line(mark.bad(`no budget is enough: ${shares(search.finishing)} of nights finish at all`));
    return;
  }
  const verdict = confirmed ? mark.good('confirmed') : mark.bad('NOT confirmed');
  line(`${verdict}: with ${shown(search.line.value)} calls ${shares(finishes)} of the fresh nights finish`);
  line(closedLine(tuning.closedForm, search));
  for (const each of tuning.lines) {
    line();
    for (const text of about(each, settings, tuning)) line(text);
  }
  line();
  line('what a budget gets done on the fresh nights');
  line(curveTable(tuning));
  printSensitivity(tuning);
}

function row(name: string, { nights, firstSeed, line: estimate, finishing }: NightsEstimate): Cell[] {
  const seeds = `${firstSeed} to ${firstSeed + nights - 1}`;
  return [name, nights, seeds, calls(estimate.value), range(estimate), share(finishing.share)];
}

function closedLine(
  form: ClosedFormFigures | { readonly none: string },
  { line: { low, high } }: NightsEstimate,
): string {
  if ('none' in form) return `no closed form: ${form.none}`;
  const { mean, sd, exact, normal, assumes } = form;
  const inside = exact >= low && exact <= high ? 'inside of the interval' : mark.bad('OUTSIDE of the interval');
  return (
    `closed form: mean ${shown(mean)}, standard deviation ${shown(sd)}, line ${shown(exact)} exactly, ` +
    `${shown(normal)} by the normal curve: ${inside}\n  if ${assumes.join(';\n  ')}`
  );
}

/** What is to be said of a budget of the user's. */
function about(
  { calls: own, over, finishes, done, survival }: LineEstimate,
  settings: BudgetSettings,
  tuning: BudgetTuning,
) {
  const { value } = tuning.search.line;
  const { items } = settings.scenario.task;
  const distance = Math.abs(own - value);
  const place =
    over === 0
      ? 'is the line'
      : over > 0
        ? `is ${share(over)} over the line of ${shown(value)}: a slack of ${shown(distance)} calls`
        : `is ${share(-over)} under the line of ${shown(value)}: ${shown(distance)} calls short`;
  const ends =
    finishes.count === 0
      ? mark.bad(`it never finishes: 0 of ${shown(finishes.of)} nights (at most ${share(finishes.high)})`)
      : `${shares(finishes)} of nights finish`;
  const got = `${shown(done * items)} of ${shown(items)} items done (${share(done)}), on average`;
  const survives = settings.sensitivityNights === 0 ? [] : [`  ${survivalText(survival)}`];
  return [`${mark.strong(shown(own))} ${place}`, `  ${ends}; ${got}`, ...survives];
}

function survivalText(survival: Survival | undefined): string {
  if (survival === undefined) return 'it does not meet the target even without faults';
  const { factor, failing, from, finishes } = survival;
  if (!Number.isFinite(factor)) return 'it survives any rate of faults';
  const found = from === 'nights' ? 'found with nights' : 'in closed form';
  return (
    `it survives failure rates up to ${share(failing)} of calls: ${times(factor)} the faults (${found}; ` +
    `${shares(finishes)} of nights finish there)`
  );
}

/** Below the line a budget only takes away: every fifth point says it. */
const SPARSE = 5;

function curveTable({ curve, lines }: BudgetTuning): string {
  const asked = new Set(lines.map(({ calls: own }) => own));
  const kept = curve.filter(
    ({ budget, finishes }, index) => finishes.count > 0 || asked.has(budget) || index % SPARSE === SPARSE - 1,
  );
  const rows = kept.map(({ budget, finishes, done }) => [budget, shares(finishes), share(done)]);
  return table(['budget', 'nights that finish (95 %)', 'items done'], rows);
}

function printSensitivity({ factors, bursts, search, failing }: BudgetTuning): void {
  const { value } = search.line;
  if (factors.length > 0) {
    line();
    line(`when faults are more or less often than they were (${share(failing)} of calls fail)`);
    const rows = factors.map((each): Cell[] => [
      times(each.factor),
      share(each.failing),
      calls(each.line.value),
      range(each.line),
      each.closedForm,
      shares(each.finishes),
    ]);
    line(table(['faults', 'calls fail', 'line', '95 %', 'closed form', `finish with ${shown(value)}`], rows));
  }
  if (bursts.rows.length > 0) {
    line();
    line('when they come in bursts');
    line(burstTable(bursts.rows, value));
    for (const text of burstVerdicts(bursts, value)) line(text);
  }
}

function burstTable(bursts: readonly InBursts[], tuned: number): string {
  const rows = bursts.map((each): Cell[] => [
    `as many ${each.equal}`,
    each.breaker,
    `${each.spells.goodS} / ${each.spells.badS}`,
    share(each.failing),
    calls(each.line.value),
    range(each.line),
    shares(each.finishes),
    share(each.done),
  ]);
  return table(
    ['bursts', 'breaker', 's good / bad', 'calls fail', 'line', '95 %', `finish with ${shown(tuned)}`, 'items done'],
    rows,
  );
}

function burstVerdicts({ rows, neverAsBad }: BurstEstimates, tuned: number): string[] {
  const client = (breaker: InBursts['breaker']) => (breaker === 'left out' ? ', without the breaker' : '');
  const verdicts = rows.map(({ equal, breaker, line: { value } }) => {
    const what = `as many ${equal}${client(breaker)}`;
    if (!Number.isFinite(value)) return mark.bad(`${what}: no budget meets the target`);
    const by = Math.abs(value / tuned - 1);
    return value > tuned
      ? mark.bad(`${what}: the line is too tight by ${shown(value - tuned)} calls (${share(by)})`)
      : `${what}: the line leaves ${shown(tuned - value)} calls (${share(by)})`;
  });
  const never = neverAsBad.map(
    (breaker) => `as many failing calls${client(breaker)}: in no bursts do so many fail, since it waits bad spells out`,
  );
  return [...verdicts, ...never];
}

const calls = (value: number): Cell => (Number.isFinite(value) ? value : 'none');

function range({ low, high }: QuantileEstimate): string {
  const end = (value: number, open: string) => (Number.isFinite(value) ? shown(value) : open);
  return `${end(low, 'open')} to ${end(high, 'open')}`;
}

const times = (factor: number): string => `${(Math.round(factor * 100) / 100).toLocaleString('en-US')} times`;

/** Two figures after the point: shares of nights are near one. */
const share = (value: number): string => `${(value * 100).toLocaleString('en-US', { maximumFractionDigits: 2 })} %`;

const shares = ({ share: value, low, high }: ShareEstimate): string =>
  `${share(value)} (${share(low)} to ${share(high)})`;
