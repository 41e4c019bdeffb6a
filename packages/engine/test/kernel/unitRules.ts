/**
 * The rules of other software's cases of one unit, which their lists tell in words.
 *
 * All cases are alike but for the additions of their rules. Each known phrase is read and taken
 * off, and a rule with words left over is unknown.
 */

/** The further rules of a case besides entering below the average and leaving above it. */
export interface UnitRule {
  readonly isShort: boolean
  /** Factor of the average that an entry's close has to pass. */
  readonly margin: number
  /** Candles after which a position is left, in place of the average. */
  readonly hold: number | null
  readonly stop: number | null
  readonly target: number | null
  /** Part of each close by which a stop follows it. */
  readonly trail: number | null
  /** Factor of a close that a later high has to come to; that candle's open is the entry. */
  readonly trigger: number | null
}

const number = String.raw`(\d+(?:\.\d+)?)`

/** The beginning of all rules. */
const common =
  /^sma = simple mean of the last \w+ closes; the first \w+ bars of the input are skipped \(first decision at bar index \w+\)\. When flat: if close<sma, enter long at the open of the next bar\. In a position: if close>sma, exit at the open of the next bar\./

type Read = (values: ReadonlyArray<number>) => Partial<UnitRule>

/** The additions of rules, by their words. */
const phrases: ReadonlyArray<readonly [words: RegExp, read: Read]> = [
  [
    new RegExp(
      `Entry rule replaced: close > sma\\*${number} -> enter SHORT at next open; ` +
        "exit rule: close<sma -> exit at next open[;.]"
    ),
    ([margin = 1]) => ({ isShort: true, margin })
  ],
  [
    new RegExp(`stop-loss ${number}% above the entry price \\([^)]*\\)\\.`),
    ([percent = 0]) => ({ stop: percent / 100 })
  ],
  [/For shorts growth = entry\/exit\./, () => ({})],
  [
    new RegExp(
      `Stop-loss ${number}%, profit target ${number}% of the entry price; both are checked from ` +
        "the bar after the entry bar, the stop first; exits at the level itself\\."
    ),
    ([stop = 0, target = 0]) => ({ stop: stop / 100, target: target / 100 })
  ],
  [
    new RegExp(`Stop-loss at ${number}% below the entry price, [^.]*?\\(no gap adjustment\\)\\.`),
    ([percent = 0]) => ({ stop: percent / 100 })
  ],
  [
    new RegExp(`Profit target ${number}% above entry: [^.]*AT the target\\.`),
    ([percent = 0]) => ({ target: percent / 100 })
  ],
  [
    new RegExp(`Trailing stop ${number}% of the current close \\([^)]*\\)\\.`),
    ([percent = 0]) => ({ trail: percent / 100 })
  ],
  [
    new RegExp(
      `Trailing stop at distance d=${number}% of the current close: .*?` +
        "otherwise stop=max\\(stop, close-[\\d.]+\\*close\\)\\."
    ),
    ([percent = 0]) => ({ trail: percent / 100 })
  ],
  [
    new RegExp(
      `Exit rule replaced: exit at next open once the holding period \\([^)]*\\) >=${number}\\.`
    ),
    ([hold = 0]) => ({ hold })
  ],
  [
    new RegExp(
      `Entry rule replaced: whenever flat, arm a long with trigger price close\\*${number}\\. .*?` +
        "the entry is then filled at that bar's OPEN\\."
    ),
    ([trigger = 1]) => ({ trigger })
  ]
]

/** Words that say nothing of the rule. */
const remark = /\(the trade list equals [^)]*\)/

/** A rule as its words say, or null where some of them aren't known. */
export const readUnitRule = (words: string): UnitRule | null => {
  if (!common.test(words)) return null
  let rest = words.replace(common, "").replace(remark, "")
  let rule: UnitRule = {
    isShort: false,
    margin: 1,
    hold: null,
    stop: null,
    target: null,
    trail: null,
    trigger: null
  }
  for (const [phrase, read] of phrases) {
    const found = phrase.exec(rest)
    if (found === null) continue
    rule = { ...rule, ...read(found.slice(1).map(Number)) }
    rest = rest.replace(phrase, "")
  }
  return rest.trim() === "" ? rule : null
}
