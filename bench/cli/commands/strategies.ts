// `storm strategies`: the catalogue, each with what it is, where it comes from and its parameters.

import type { Argv } from 'yargs';
import type { PolicySettings } from '../../../clients/strategies/build-policies.ts';
import { CATALOGUE } from '../../../clients/strategies/catalogue.ts';
import { inputMistake } from '../../input-error.ts';
import { snake } from '../../scenario/fields.ts';
import { line, mark } from '../screen.ts';

export const command = 'strategies [name]';
export const describe = 'List the strategies of the catalogue, with source and parameters';

export const builder = (yargs: Argv) =>
  yargs
    .positional('name', { type: 'string', describe: 'only this one' })
    .example('$0 strategies', 'all of them')
    .example('$0 strategies ladder', 'the parameters of one');

export function handler({ name }: { readonly name?: string | undefined }): void {
  if (name !== undefined && !Object.hasOwn(CATALOGUE, name)) {
    throw inputMistake('command line', '[name]', name, `one of ${Object.keys(CATALOGUE).join(', ')}`);
  }
  for (const [each, { summary, source, settings }] of Object.entries(CATALOGUE)) {
    if (name !== undefined && each !== name) continue;
    line(`${mark.strong(each)}: ${summary}`);
    line(mark.faint(`  source: ${source}`));
    const { kind, ...scheduler } = settings.scheduler;
    line(`  ${kind}: ${parameters(scheduler)}`);
    for (const policy of settings.policies) line(`  ${policyLine(policy)}`);
    line();
  }
}

function policyLine({ policy, ...settings }: PolicySettings): string {
  const text = parameters(settings);
  return text === '' ? policy : `${policy}: ${text}`;
}

function parameters(settings: object): string {
  return Object.entries(snake(settings))
    .map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
