// Latency histograms of a night: the whole as .hgrm (percentile distribution), minute by minute as .hlog, both readable by
// the HdrHistogram tools. Values are ms from sending to the end of the reply; waits between attempts are not in them.

import { build, type Histogram, HistogramLogWriter } from 'hdr-histogram-js';

const MINUTE_MS = 60_000;
/** An hour: the longest reply that can be told apart. */
const HIGHEST_MS = 3_600_000;

function newHistogram(): Histogram {
  return build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_MS,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    autoResize: false,
  });
}

export class LatencyHistograms {
  readonly #epochMs: number;
  readonly #whole = newHistogram();
  readonly #minutes = new Map<number, Histogram>();

  /** @param epochMs calendar time at scenario time 0 */
  constructor(epochMs: number) {
    this.#epochMs = epochMs;
  }

  /** @throws RangeError for NaN, infinite or negative values, which the histogram would count silently */
  add(sentMs: number, receivedMs: number): void {
    const latencyMs = receivedMs - sentMs;
    if (!(latencyMs >= 0 && Number.isFinite(latencyMs))) throw new RangeError(`latency of ${latencyMs} ms`);
    const value = Math.min(Math.round(latencyMs), HIGHEST_MS);
    this.#whole.recordValue(value);
    const minute = Math.floor(sentMs / MINUTE_MS);
    let histogram = this.#minutes.get(minute);
    if (histogram === undefined) {
      histogram = newHistogram();
      this.#minutes.set(minute, histogram);
    }
    histogram.recordValue(value);
  }

  /** Percentile distribution in ms. */
  hgrm(): string {
    return this.#whole.outputPercentileDistribution(5, 1);
  }

  /** Interval log, one line a minute of sending; interval maximum in ms. */
  hlog(): string {
    const lines: string[] = [];
    const writer = new HistogramLogWriter((line) => lines.push(line));
    writer.outputComment('[values in ms, one interval a minute of scenario time]');
    writer.outputLogFormatVersion();
    // Not outputStartTime(): it prints the time in the zone of the machine, and a night must be the same everywhere.
    const start = (this.#epochMs / 1000).toFixed(3);
    writer.outputComment(`[StartTime: ${start} (seconds since epoch), ${new Date(this.#epochMs).toISOString()}]`);
    writer.outputLegend();
    for (const [minute, histogram] of [...this.#minutes].sort(([a], [b]) => a - b)) {
      writer.outputIntervalHistogram(histogram, minute * 60, minute * 60 + 60, 1);
    }
    return lines.join('');
  }
}
