// `storm verify`: recomputes every identity of a results folder from its files.

import type { Argv } from 'yargs';
import { verifyFolder } from '../../verify/verify-folder.ts';
import { ExitError } from '../exit-codes.ts';
import { line, mark, shown } from '../screen.ts';

export const command = 'verify <results>';
export const describe = 'Recompute every identity of a results folder from its files alone';

export const builder = (yargs: Argv) =>
  yargs
    .positional('results', { type: 'string', demandOption: true, describe: 'a results folder' })
    .example('$0 verify results/storm-night', 'exit code 3 when one count is not as it must be');

export async function handler({ results }: { readonly results: string }): Promise<void> {
  const { files, requests, identities, nights, problems, problemCount } = await verifyFolder(results);
  for (const problem of problems) line(`${mark.bad('wrong')}  ${problem}`);
  if (problemCount > problems.length) line(`… and ${problemCount - problems.length} more`);
  const seen = [`${shown(files)} files`, `${shown(requests)} requests`, `${shown(identities)} identities`];
  if (nights > 0) seen.push(`${shown(nights)} nights`);
  line(`checked: ${seen.join(', ')}`);
  if (problemCount > 0)
    throw new ExitError('booksDiffer', `the books of ${results} do not balance: ${problemCount} problems`);
  line(mark.good('books balance'));
}
