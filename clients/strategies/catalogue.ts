// The strategies that have a name. A scenario uses them as they are, changes single settings, or composes its own.

import { guarded } from './guarded.ts';
import { naive } from './naive.ts';
import type { Strategy } from './settings.ts';

export const CATALOGUE: Readonly<Record<string, Strategy>> = { naive, guarded };
