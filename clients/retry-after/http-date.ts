// The three forms of an HTTP date (RFC 9110, 5.6.7), to the letter. Apart, because the parser of the language reads
// `-3` as a year, and everything else in the zone of the machine.

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const TIME = '(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})';
const MONTH = '(?<month>[A-Z][a-z]{2})';
/** Sun, 06 Nov 1994 08:49:37 GMT */
const IMF_FIXDATE = RegExp(`^(?<dayName>[A-Z][a-z]{2}), (?<day>[0-9]{2}) ${MONTH} (?<year>[0-9]{4}) ${TIME} GMT$`);
/** Sunday, 06-Nov-94 08:49:37 GMT */
const RFC850 = RegExp(`^(?<dayName>[A-Z][a-z]{5,8}), (?<day>[0-9]{2})-${MONTH}-(?<year>[0-9]{2}) ${TIME} GMT$`);
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME = RegExp(`^(?<dayName>[A-Z][a-z]{2}) ${MONTH} (?<day>[0-9]{2}| [0-9]) ${TIME} (?<year>[0-9]{4})$`);

/** A date as it is written; nothing of it is checked yet. */
interface Written {
  readonly dayName: string;
  readonly day: number;
  /** 0 to 11, or -1 for a month that does not exist. */
  readonly month: number;
  readonly year: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function match(form: RegExp, text: string): Written | undefined {
  const groups = form.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { dayName = '', month = '', day, year, hour, minute, second } = groups;
  return {
    dayName,
    day: Number(day),
    month: MONTHS.indexOf(month),
    year: Number(year),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
}

/** Midnight of the written day in a year; a day that does not exist becomes one of a neighbouring month. */
function midnight({ month, day }: Written, year: number): Date {
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date;
}

/** Second 60, a leap second, is the next second, as in every clock that counts no leap seconds. */
const timeOfDayMs = ({ hour, minute, second }: Written) => ((hour * 60 + minute) * 60 + second) * 1000;

function instant(written: Written, year: number): number | undefined {
  const { dayName, month, hour, minute, second } = written;
  if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = midnight(written, year);
  // No day of 00 to 99 is so far off that it comes round to its own month again.
  if (date.getUTCMonth() !== month) return undefined;
  const weekday = DAYS[date.getUTCDay()];
  // The form has settled whether the name is the long or the short one.
  if (weekday !== dayName && weekday?.slice(0, 3) !== dayName) return undefined;
  return date.getTime() + timeOfDayMs(written);
}

/** The year of two digits: the last one that does not put the date more than 50 years into the future. */
function resolveYear(written: Written, nowDateMs: number): number {
  const limit = new Date(nowDateMs);
  limit.setUTCFullYear(limit.getUTCFullYear() + 50);
  const latest = Math.floor(limit.getUTCFullYear() / 100) * 100 + written.year;
  const latestMs = midnight(written, latest).getTime() + timeOfDayMs(written);
  return latestMs > limit.getTime() ? latest - 100 : latest;
}

/**
 * Reads an HTTP date: a real day with the weekday it really has, in GMT, upper and lower case as the RFC writes them.
 * @param nowDateMs calendar time, ms since 1970; settles the century of an rfc850 date and nothing else
 * @returns ms since 1970, or undefined when the text is no HTTP date
 */
export function parseHttpDate(text: string, nowDateMs: number): number | undefined {
  const fourDigits = match(IMF_FIXDATE, text) ?? match(ASCTIME, text);
  if (fourDigits !== undefined) return instant(fourDigits, fourDigits.year);
  const twoDigits = match(RFC850, text);
  return twoDigits && instant(twoDigits, resolveYear(twoDigits, nowDateMs));
}

/** One moment in each century of a turn of the calendar: weekdays repeat every 400 years. */
const CENTURIES_MS = [1950, 2050, 2150, 2250].map((year) => Date.UTC(year, 0, 1));

/** Whether the text is an HTTP date, for who does not know what time it is: an rfc850 date may be of any century. */
export function isHttpDate(text: string): boolean {
  return CENTURIES_MS.some((nowDateMs) => parseHttpDate(text, nowDateMs) !== undefined);
}
