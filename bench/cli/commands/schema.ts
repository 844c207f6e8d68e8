// `storm schema`: the JSON Schema of a scenario file, for editors that complete and check YAML.

import type { Argv } from 'yargs';
import { scenarioJsonSchema } from '../../scenario/load.ts';
import { line } from '../screen.ts';

export const command = 'schema';
export const describe = 'Print the JSON Schema of a scenario file, for editors';

export const builder = (yargs: Argv) =>
  yargs.example('$0 schema > scenario.schema.json', 'then point your editor at it');

export function handler(): void {
  line(JSON.stringify(scenarioJsonSchema(), undefined, 2));
}
