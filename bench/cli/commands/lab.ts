// `storm lab schedules`: the schedules and stop cases of the documents, played through the real driver, each as a timeline
// with the decision and the reason at every step, and checked.

import type { Argv } from 'yargs';
import { LAB_CASES, type LabCase } from '../../lab/cases.ts';
import { differences, type LabRun, runCase } from '../../lab/run-case.ts';
import { ExitError } from '../exit-codes.ts';
import { line, mark, table } from '../screen.ts';

export const command = 'lab <experiment>';
export const describe = 'Play the schedules of the documents through the real driver, step by step';

export const builder = (yargs: Argv) =>
  yargs
    .positional('experiment', { choices: ['schedules'] as const, demandOption: true, describe: 'what to play' })
    .example('$0 lab schedules', 'every schedule and stop case, as timelines');

export async function handler(): Promise<void> {
  let failed = 0;
  for (const lab of LAB_CASES) {
    const run = await runCase(lab);
    const wrong = differences(lab, run);
    print(lab, run, wrong);
    if (wrong.length > 0) failed++;
  }
  if (failed > 0)
    throw new ExitError('checkFailed', `${failed} of ${LAB_CASES.length} cases do not end as their document says`);
  line(mark.good(`all ${LAB_CASES.length} cases end as their documents say`));
}

function print(lab: LabCase, run: LabRun, wrong: readonly string[]): void {
  line(`${mark.strong(lab.id)} (${lab.source}): ${lab.what}`);
  line(
    table(
      ['at s', 'what happened', 'decision', 'reason'],
      run.events.map((each) => [each.atS, each.event, each.decision, each.reason]),
    ),
  );
  // The last response says nothing about how the action ended, so the two stand apart.
  line(`outcome: ${run.outcome}`);
  line(
    `last response: ${run.lastStatus ?? 'none'}; attempts: ${run.attempts} of ${run.maxAttempts}; elapsed: ${run.endS} s; left: ${run.leftS} s`,
  );
  if (run.told !== undefined && run.outcome !== 'done') line(`the server asked for: ${asked(run.told)}`);
  line(
    wrong.length === 0 ? mark.good('as the document says') : mark.bad(`NOT as the document says: ${wrong.join('; ')}`),
  );
  line();
}

function asked(told: NonNullable<LabRun['told']>): string {
  if ('waitMs' in told) return `${told.waitMs / 1000} s`;
  return told.kind === 'invalid'
    ? `nothing readable (${told.reason})`
    : told.kind === 'absent'
      ? 'nothing'
      : 'a date that can not be trusted';
}
