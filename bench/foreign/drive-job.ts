// What `storm drive` and the program that it drives tell each other: a file with the settings, and one with the result.

import type { Scenario } from '../scenario/scenario.ts';
import type { ForeignFault } from './foreign-error.ts';
import type { RecordedForeignNight } from './record-foreign.ts';

/** Names the file with the settings; taken out of the environment before the program sees it. */
export const DRIVE_VARIABLE = 'STORM_DRIVE_SETTINGS';

export interface DriveSettings {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly client: string;
  /** Hosts (`name` or `name:port`) under which the program calls the platform. */
  readonly hosts: readonly string[];
  /** Environment variable that tells the program the platform's address. */
  readonly urlVariable: string;
  readonly maxCalls: number;
  /** Folder for the books, which the program's process makes. */
  readonly folder: string;
  /** File for the result; written last. */
  readonly resultFile: string;
}

export type DriveResult =
  | { readonly kind: 'night'; readonly night: RecordedForeignNight }
  | { readonly kind: 'fault'; readonly fault: ForeignFault; readonly message: string };
