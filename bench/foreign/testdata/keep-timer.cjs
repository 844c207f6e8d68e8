// Loaded with --require, which comes before all else: keeps a timer of the machine.

globalThis.keptTimeout = setTimeout;
