// `storm task`: a strategy with a checkpoint against an endpoint, on a state file. Whatever kills it, the same command, or
// `storm resume`, goes on where it was.

import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { StateFile, SYNCS, type Sync } from '../../durable/state-file.ts';
import { read, sameTask, type TaskRun, taskOf, written } from '../../durable/task-settings.ts';
import { loadScenario } from '../../scenario/load.ts';
import { runOnState } from '../durable-run.ts';
import { intOption, numberOption } from '../options.ts';
import { headersFrom, itemPathOf, targetOf } from '../target.ts';

export const command = 'task [scenario]';
export const describe = 'Run a task against an endpoint, durably: killed at any moment, it goes on where it was';

export const builder = (yargs: Argv) =>
  yargs
    .positional('scenario', {
      type: 'string',
      default: 'storm-night',
      describe: 'a YAML file or preset, whose task and strategies these are',
    })
    .option('target', {
      type: 'string',
      demandOption: true,
      describe: 'URL of a platform, or of an item with {item} for its number',
    })
    .option('state', {
      type: 'string',
      demandOption: true,
      describe: 'state file: begun when it is not there, gone on with when it is',
    })
    .option('strategy', { type: 'string', default: 'guarded', describe: 'a strategy that keeps a checkpoint an item' })
    .option('items', { coerce: intOption('--items', 1, 10_000_000), describe: "items; the scenario's when left out" })
    .option('calls', {
      coerce: intOption('--calls', 1, 100_000_000),
      describe: "calls at most, over all lives; the strategy's when left out",
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER),
      describe: 'seed of its chance',
    })
    .option('speed', {
      default: 1,
      coerce: numberOption('--speed', 0.01, 1000),
      describe: 'scenario time in a unit of real time; that of the platform',
    })
    .option('sync', {
      choices: SYNCS,
      default: 'full' as Sync,
      describe: 'full: a call survives the machine; normal: the process only, and costs less',
    })
    .option('audit', { type: 'string', describe: 'file to write an audit log on, line by line' })
    .option('header-env', {
      type: 'string',
      array: true,
      describe: 'NAME=VARIABLE: a header whose value is in an environment variable',
    })
    .option('yes-this-is-mine', { type: 'boolean', default: false, describe: 'needed for any host but loopback' })
    .option('json', { type: 'boolean', default: false, describe: 'print the report as JSON and nothing else' })
    .example('$0 task --target http://127.0.0.1:8080 --state sync.state', 'the storm night’s task against a platform')
    .example(
      "$0 task my.yaml --target 'http://127.0.0.1:8080/reports/{item}' --state my.state --calls 900",
      'an endpoint of your own',
    );

export interface TaskOptions {
  readonly scenario: string;
  readonly target: string;
  readonly state: string;
  readonly strategy: string;
  readonly items?: number | undefined;
  readonly calls?: number | undefined;
  readonly seed: number;
  readonly speed: number;
  readonly sync: Sync;
  readonly audit?: string | undefined;
  readonly headerEnv?: readonly string[] | undefined;
  readonly yesThisIsMine: boolean;
  readonly json: boolean;
}

export async function handler(options: TaskOptions): Promise<void> {
  const { scenario } = loadScenario(options.scenario);
  targetOf(options);
  itemPathOf(options.target);
  headersFrom(options.headerEnv ?? []);
  const { items, calls, seed, speed } = options;
  const asked = taskOf(scenario, options.strategy, { items, calls, seed });
  const run: TaskRun = {
    target: options.target,
    headers: options.headerEnv ?? [],
    speed,
    epochMs: speed === 1 ? null : scenario.profile.epochMs,
    sync: options.sync,
    audit: options.audit === undefined ? null : resolve(options.audit),
  };
  const state = StateFile.open(options.state, options.sync, written({ asked, run }));
  try {
    const begun = read(state.settings);
    sameTask(options.state, asked, begun.asked);
    await runOnState(state, { asked: begun.asked, run }, options.json);
  } finally {
    state.close();
  }
}
