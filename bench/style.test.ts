// Style that a test can hold: who may import whom, where time and chance may come from, how long a file may be, and that
// pages say what is there. Each rule names its replacement.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import test from 'node:test';
import { ROOT } from './testing.ts';

const FOLDERS = ['bench', 'clients', 'platform-sim', 'scripts'];
const MAX_LINES = 300;

interface Source {
  readonly path: string;
  readonly text: string;
}

function below(folder: string, ending: RegExp): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

const SOURCES = FOLDERS.flatMap((folder) => below(folder, /\.(ts|mjs)$/));
const isTest = ({ path }: Source) => /\.test\.ts$|\/testing\.ts$|\/testdata\//.test(path);
const PROGRAM = SOURCES.filter((source) => !isTest(source));

/** Files of the project that a source imports, by their path. */
function imports({ path, text }: Source): string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, target = '']) =>
    relative(ROOT, resolve(ROOT, dirname(path), target)).replaceAll('\\', '/'),
  );
}

/** A folder, and what of the others it may import. */
const MAY_IMPORT: Readonly<Record<string, RegExp>> = {
  'platform-sim': /^platform-sim\//,
  clients: /^(clients\/|platform-sim\/(wire|types|draws|no-reply)\.ts$)/,
  bench: /^(bench|clients|platform-sim)\//,
  scripts: /^(scripts|bench|clients|platform-sim|dist)\//,
};

test('the platform imports nothing of ours, clients import their ports and the wire, bench wires both', () => {
  for (const source of PROGRAM) {
    const [folder = ''] = source.path.split('/');
    for (const target of imports(source))
      assert.match(target, MAY_IMPORT[folder] ?? /$^/, `${source.path} imports ${target}`);
  }
});

/**
 * The wall clock, what puts simulated time in its place, and foreign code, whose time is replaced: contestants and the
 * template of a client.
 */
const AMBIENT = /^bench\/(clocks\/wall-clock|foreign\/[a-z-]+|cli\/commands\/init)\.ts$|^clients\/contestants\//;

/** A ban, what to use instead, and the files that are there to do it. */
const BANS: readonly (readonly [RegExp, string, RegExp])[] = [
  [/\bDate\.now\b|\bnew Date\(\)/, 'clock.dateMs()', AMBIENT],
  [/\bperformance\.now\b/, 'clock.nowMs()', /^scripts\/bench-|^bench\/(clocks\/wall-clock|foreign\/[a-z-]+)\.ts$/],
  [
    /\bMath\.random\b/,
    'a stream of platform-sim/draws.ts',
    /^bench\/(foreign\/install-globals|cli\/commands\/init)\.ts$/,
  ],
  [/\bset(Timeout|Interval)\b/, 'clock.sleep()', AMBIENT],
  [/\bsetImmediate\b/, 'clock.sleep()', /^bench\/(clocks\/(simulated|wall)-clock|foreign\/[a-z-]+)\.ts$/],
  [/\bDate\.parse\b/, 'a strict parser', /^bench\/scenario\/load\.ts$/],
  [/\bas any\b|: any\b|@ts-ignore|@ts-expect-error/, 'a type', /^$/],
  [/\bcatch *(\([a-z]+\))? *\{ *\}/, 'an error that is told', /^$/],
];

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');

test('time, timers, chance and type escapes only where they belong', () => {
  for (const { path, text } of PROGRAM) {
    for (const [ban, instead, allowed] of BANS) {
      if (!allowed.test(path)) assert.doesNotMatch(withoutComments(text), ban, `${path}: use ${instead}`);
    }
  }
});

test('every source begins by saying what it is, and none is too long', () => {
  for (const { path, text } of SOURCES) {
    assert.match(text, /^(#!.*\n)?\/\/ \S/, path);
    assert.ok(text.split('\n').length <= MAX_LINES, `${path}: more than ${MAX_LINES} lines`);
  }
});

test('no test is skipped or focused', () => {
  for (const { path, text } of SOURCES) assert.doesNotMatch(text, /\b(test|it|describe)\.(skip|only|todo)\b/, path);
});

test('every file of vectors is read by a test, and its folder names source and licence', () => {
  const tests = SOURCES.filter(({ path }) => path.endsWith('.test.ts'));
  const files = FOLDERS.flatMap((folder) => below(folder, /(^|\/)testdata\/.*\.json$/));
  assert.ok(files.length > 15, `${files.length} files`);
  for (const { path } of files) {
    const [, name = ''] = /([^/]+)\.json$/.exec(path) ?? [];
    assert.ok(
      tests.some(({ text }) => RegExp(`\\b${name}(\\.json)?'`).test(text)),
      `no test reads ${path}`,
    );
    const said = ['SOURCE.txt', 'SOURCES.md'].map((file) => join(ROOT, dirname(path), file)).find(existsSync);
    const text = said === undefined ? '' : readFileSync(said, 'utf8');
    for (const names of [/https:\/\/github\.com|schedules\.json/, /licence|BSD|Apache/])
      assert.match(text, names, path);
  }
});

const PAGES = [...FOLDERS, 'docs', 'results']
  .flatMap((folder) => below(folder, /\.md$/))
  .concat(['README.md', 'CHANGELOG.md'].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })));

test('every folder of the top level says where one is', () => {
  for (const folder of [...FOLDERS, 'results', 'docs']) assert.ok(existsSync(join(ROOT, folder, 'README.md')), folder);
});

test('links and paths of the pages exist', () => {
  for (const { path, text } of PAGES) {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)) {
      assert.ok(existsSync(resolve(ROOT, dirname(path), target)), `${path} links to ${target}`);
    }
    for (const [, named = ''] of text.matchAll(
      /`((?:bench|clients|platform-sim|scripts|docs|results\/reference)\/[\w./-]+)`/g,
    )) {
      assert.ok(existsSync(join(ROOT, named)), `${path} names ${named}`);
    }
  }
});

test('commands of the pages are commands of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const { path, text } of PAGES) {
    for (const [, name = ''] of text.matchAll(/npm run (?:-s )?([\w:-]+)/g))
      assert.ok(scripts[name], `${path} names npm run ${name}`);
  }
});
