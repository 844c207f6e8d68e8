// The manifest of a results folder: what made it, the command that makes it again, and a digest of every other file. It
// holds no time of day and no path, so that the same command gives the same bytes.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { fields } from '../scenario/fields.ts';
import { VERSION } from '../version.ts';

export const MANIFEST = 'manifest.json';

/** A client module of the user's among the strategies. */
const clientFacts = fields({
  name: z.string(),
  /** As it was named on the command line. */
  path: z.string(),
  sha256: z.string(),
  method: z.enum(['GET', 'POST']),
  concurrency: z.int(),
  max_calls: z.int(),
});
export type ClientFacts = z.output<typeof clientFacts>;

export const manifestSchema = fields({
  tool: z.literal('retry-storm-bench'),
  version: z.string(),
  node: z.string(),
  /** Repeats the run; scenario.yaml is the copy in this folder. */
  command: z.string(),
  scenario: z.string(),
  scenario_hash: z.string(),
  seed: z.int(),
  nights: z.int(),
  clock: z.string(),
  strategies: z.array(z.string()),
  /** Of the wall clock: scenario time in a unit of real time. */
  speed: z.number().optional(),
  /** Of the wall clock: virtual nights that its minutes were held against, 0 for none. */
  band_nights: z.int().optional(),
  /** Whether the run was interrupted and drained before its nights had ended. */
  partial: z.literal(true).optional(),
  /** Which of them are client modules. */
  clients: z.array(clientFacts).optional(),
  /** Whether the one client is a whole program. */
  driven: z.literal(true).optional(),
  /** Of a served platform, whose clients stand under strategies in the order in which they came. */
  served: fields({ speed: z.number() }).optional(),
  /** SHA-256 of every file of the folder but this one, by its path in it. */
  sha256: z.record(z.string(), z.string()),
});
export type Manifest = z.output<typeof manifestSchema>;

/** A word of a command as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether this client is foreign code, of which there is no audit log. */
export function isForeign({ driven, clients = [] }: Manifest, client: string): boolean {
  return driven === true || clients.some(({ name }) => name === client);
}

/** Paths of the files below `folder`, ordered, with `/` between parts. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

export function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

export function writeManifest(folder: string, facts: Omit<Manifest, 'tool' | 'version' | 'node' | 'sha256'>): void {
  const sha256 = Object.fromEntries(filesBelow(folder).map((file) => [file, digest(join(folder, file))]));
  const manifest: Manifest = {
    tool: 'retry-storm-bench',
    version: VERSION,
    node: process.versions.node,
    ...facts,
    sha256,
  };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { flag: 'wx' });
}
