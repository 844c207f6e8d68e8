// `storm contestants`: the clients of npm that can be put into the arena, with version and state.

import type { Argv } from 'yargs';
import { CONTESTANTS, packagesOf } from '../../../clients/contestants/catalogue.ts';
import { line, mark, table } from '../screen.ts';

export const command = 'contestants';
export const describe = 'List the npm clients of the arena, with version and state';

export const builder = (yargs: Argv) => yargs.example('$0 contestants', 'names to give to storm arena');

export function handler(): void {
  const rows = Object.entries(CONTESTANTS).map(([name, contestant]) => {
    const packages = packagesOf(contestant);
    const missing = packages.filter(({ version }) => version === undefined).map((each) => each.name);
    const [first] = packages;
    const version = first === undefined ? `node ${process.versions.node}` : `${first.name} ${first.version ?? ''}`;
    const state = missing.length === 0 ? mark.good('installed') : mark.bad(`npm i -D ${missing.join(' ')}`);
    return [name, version, state, contestant.summary];
  });
  line(table(['contestant', 'version', 'state', 'what it is'], rows));
}
