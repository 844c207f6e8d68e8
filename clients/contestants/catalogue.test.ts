// Holds the catalogue to the folder and to package.json: every adapter is in it, names what it imports, and costs a user nothing
// who does not want it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../bench/testing.ts';
import { CONTESTANTS, type Contestant, moduleOf, packagesOf } from './catalogue.ts';

const FOLDER = join(ROOT, 'clients/contestants');
const sourceOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const adapters = readdirSync(FOLDER).filter(
  (name) =>
    name.endsWith('.ts') && !name.startsWith('testing') && /export (default|\{[^}]* as default)/.test(sourceOf(name)),
);

/** Packages that a file of the folder imports, those of its neighbours included. */
function imported(file: string): string[] {
  return [...sourceOf(file).matchAll(/ from '([^']+)'/g)].flatMap(([, from = '']) => {
    if (from.startsWith('./')) return imported(from.slice(2));
    return from.startsWith('node:') ? [] : [from];
  });
}

test('every adapter of the folder is in the catalogue, under its own name', () => {
  assert.deepEqual(
    Object.entries(CONTESTANTS)
      .map(([name, { file }]) => [name, file])
      .sort(),
    adapters.map((name) => [name.slice(0, -3), `./${name.slice(0, -3)}.js`]).sort(),
  );
});

for (const [name, contestant] of Object.entries(CONTESTANTS)) {
  test(`${name}: names the packages that it imports`, () => {
    assert.deepEqual([...contestant.packages].sort(), [...new Set(imported(`${name}.ts`))].sort());
    assert.ok(existsSync(fileURLToPath(moduleOf(contestant))));
    assert.match(contestant.summary, /^[^\n]{10,110}$/);
    assert.match(contestant.source, /^https:\/\//);
  });
}

test('what contestants need is pinned for us and an optional peer for a user', () => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, unknown>>;
  const needed = new Set(Object.values(CONTESTANTS).flatMap(({ packages }) => packages));
  const ours = new Set(Object.keys(dependencies ?? {}));
  const optional = [...needed].filter((name) => !ours.has(name)).sort();
  assert.deepEqual(Object.keys(peerDependencies ?? {}).sort(), optional);
  for (const name of optional) {
    assert.deepEqual(peerDependenciesMeta?.[name], { optional: true }, name);
    assert.match(String(devDependencies?.[name]), /^\d+\.\d+\.\d+$/, name);
    assert.equal(peerDependencies?.[name], `>=${String(devDependencies?.[name]).split('.')[0]}`, name);
  }
});

test('the installed version of each package is told, and one that is not there is no failure', () => {
  for (const contestant of Object.values(CONTESTANTS))
    for (const { name, version } of packagesOf(contestant)) assert.match(version ?? 'none', /^\d+\.\d+\.\d+/, name);
  const stranger: Contestant = { file: './stranger.js', packages: ['no-such-package-here'], summary: '', source: '' };
  assert.deepEqual(packagesOf(stranger), [{ name: 'no-such-package-here', version: undefined }]);
});
