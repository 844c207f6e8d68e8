// `storm presets`: the scenarios that come with the package.

import type { Argv } from 'yargs';
import { loadScenario, presetNames, presetPath } from '../../scenario/load.ts';
import { line, table } from '../screen.ts';

export const command = 'presets';
export const describe = 'List the scenarios that come with the package';

export const builder = (yargs: Argv) => yargs.example('$0 presets', 'names to give to storm run');

export function handler(): void {
  const rows = presetNames().map((name) => {
    const { scenario } = loadScenario(presetPath(name) ?? name);
    return [name, Object.keys(scenario.strategies).join(', '), scenario.description];
  });
  line(table(['preset', 'strategies', 'what it is'], rows));
}
