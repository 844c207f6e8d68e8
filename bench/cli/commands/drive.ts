// `storm drive`: a whole Node program as it is, with simulated time and the platform inside of its process.

import { join } from 'node:path';
import type { Argv } from 'yargs';
import { CLIENT_NAME } from '../../../platform-sim/wire.ts';
import { discrepancies } from '../../books/reconcile.ts';
import { summarise } from '../../books/summary.ts';
import { drive } from '../../foreign/drive.ts';
import { writeDriven } from '../../foreign/driven-folder.ts';
import type { RecordedForeignNight } from '../../foreign/record-foreign.ts';
import { inputMistake } from '../../input-error.ts';
import { freeResultsPath, ResultFolder, removeTemporary, temporaryFolder } from '../../results-folder/result-folder.ts';
import { foreignSummary } from '../../run/client-nights.ts';
import { loadScenario } from '../../scenario/load.ts';
import { ExitError } from '../exit-codes.ts';
import { balanceLine, billingTable, comparisonTable, endingsLine } from '../night-screen.ts';
import { intOption } from '../options.ts';
import { line, mark } from '../screen.ts';

export const command = 'drive';
export const describe = 'Run a whole Node program, unmodified, against the platform on simulated time';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HOST = /^[a-z0-9.-]+(:[0-9]{1,5})?$/i;

export const builder = (yargs: Argv) =>
  yargs
    .parserConfiguration({ 'populate--': true })
    .usage(
      '$0 drive [options] -- node my-job.mjs [arguments]\n\nRun a whole Node program, unmodified, on simulated time',
    )
    .option('scenario', { type: 'string', default: 'storm-night', describe: 'a YAML file, or the name of a preset' })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER),
      describe: 'seed of the night',
    })
    .option('name', { type: 'string', default: 'job', describe: 'name of the program in the books' })
    .option('url-variable', {
      type: 'string',
      default: 'STORM_URL',
      describe: "environment variable that tells the program the platform's address",
    })
    .option('host', {
      type: 'string',
      array: true,
      requiresArg: true,
      default: [],
      describe: 'name or name:port that the program calls already: it gets the platform instead (http only)',
    })
    .option('max-calls', {
      default: 200_000,
      coerce: intOption('--max-calls', 1, 10_000_000),
      describe: 'calls after which the night is cut',
    })
    .option('real-seconds', {
      default: 600,
      coerce: intOption('--real-seconds', 1, 86_400),
      describe: 'real time after which the program is ended',
    })
    .option('out', { type: 'string', describe: 'results folder, which must not exist; results/<name> when left out' })
    .example('$0 drive -- node my-job.mjs', 'the program finds the platform in $STORM_URL')
    .example('$0 drive --host api.example.com -- node my-job.mjs', 'or under the name that it calls already');

export interface DriveCommand {
  readonly '--'?: readonly (string | number)[];
  readonly scenario: string;
  readonly seed: number;
  readonly name: string;
  readonly urlVariable: string;
  readonly host: readonly string[];
  readonly maxCalls: number;
  readonly realSeconds: number;
  readonly out?: string | undefined;
}

export async function handler(options: DriveCommand): Promise<void> {
  const program = checkedCommand(options);
  const { scenario, text } = loadScenario(options.scenario);
  const folder = new ResultFolder(options.out ?? freeResultsPath(options.name));
  const scratch = temporaryFolder('storm-drive-');
  const { seed, name: client, urlVariable, host: hosts, maxCalls } = options;
  try {
    const job = { scenario, seed, client, hosts, urlVariable, maxCalls, folder: join(folder.draft, client) };
    const { night, exit } = await drive({ ...job, command: program, patienceMs: options.realSeconds * 1000, scratch });
    writeDriven(folder.draft, { ...job, scenarioText: text, program, night });
    folder.commit();
    print(night, seed);
    line(`results: ${folder.shown}`);
    const wrong = night.unmatched + discrepancies(night.night).length;
    if (wrong > 0) throw new ExitError('booksDiffer', `the books differ in ${wrong} places: see ${folder.shown}`);
    if (exit !== 0) throw new ExitError('checkFailed', `the program ended with ${exit}; the books are of what it did`);
  } finally {
    removeTemporary(scratch);
    folder.discard();
  }
}

function print(night: RecordedForeignNight, seed: number): void {
  const { scenario, scenarioHash } = night.night;
  const summary = summarise(night.night);
  line(`${mark.strong(scenario)}  seed ${seed}, simulated time over HTTP, scenario ${scenarioHash.slice(0, 12)}`);
  line();
  line(billingTable(night.night));
  line(balanceLine(summary.books.balance && night.unmatched === 0));
  line();
  line(comparisonTable([summary]));
  line(endingsLine(foreignSummary(night)));
}

function checkedCommand({ '--': command = [], name, urlVariable, host }: DriveCommand): string[] {
  if (command.length === 0)
    throw inputMistake('command line', '--', '', 'a program and its arguments: storm drive -- node my-job.mjs');
  if (!CLIENT_NAME.test(name))
    throw inputMistake('command line', '--name', name, 'small letters, digits and hyphens, a letter first');
  if (!VARIABLE.test(urlVariable))
    throw inputMistake('command line', '--url-variable', urlVariable, 'a name of letters, digits and _');
  for (const each of host)
    if (!HOST.test(each)) throw inputMistake('command line', '--host', each, 'a name, or name:port');
  return command.map(String);
}
