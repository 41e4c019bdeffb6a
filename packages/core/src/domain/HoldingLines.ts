/**
 * An exchange's holdings beside the books of the bots that trade there, line by line.
 *
 * @since 0.1.0
 */
import { BigDecimal, Schema } from "effect"
import {
  type AccountBook,
  type HeldAmounts,
  type Kind,
  netOf,
  ownCoins,
  amountSumsOf
} from "./AccountBook.ts"
import { decimalOfUnsafe, decimalText } from "./decimals.ts"

type Amount = BigDecimal.BigDecimal

/** A coin or a position, at the exchange and in the books. @category schemas @since 0.1.0 */
export const HoldingLine = Schema.Struct({
  /** The name of the coin, or the symbol of the market. */
  name: Schema.String,
  kind: Schema.Literals(["coin", "position"]),
  venue: Schema.String,
  bots: Schema.String,
  /** The part that no bot owns: `venue` less `bots`. */
  outside: Schema.String,
  /** The part of the bots' own coins, or of their position, that the exchange lacks; "0" for none. */
  lacking: Schema.String,
  /** Bots that own some of a coin, or of a position, of which the exchange has too little. */
  mismatched: Schema.Array(Schema.String)
})

/** A coin or a position, at the exchange and in the books. @category models @since 0.1.0 */
export type HoldingLine = typeof HoldingLine.Type

const nothing = BigDecimal.fromBigInt(0n)

/**
 * The amount by which the exchange has less than the bots own, if that is at least one step. Bots
 * that are short own a position below zero, of which the exchange is to have as much below zero.
 */
const lackOf = (kind: HoldingLine["kind"], venue: Amount, owned: Amount, step: Amount): Amount => {
  const isBelow = kind === "position" && BigDecimal.isNegative(owned)
  const rest = BigDecimal.subtract(owned, venue)
  const lack = isBelow ? BigDecimal.negate(rest) : rest
  return BigDecimal.isPositive(lack) && BigDecimal.isGreaterThanOrEqualTo(lack, step)
    ? lack
    : nothing
}

/** The amounts of one coin or position. */
interface LineAmounts {
  readonly venue: string
  readonly bots: string
  /** The sum of the bots that own some, which debts of others do not reduce. */
  readonly owned: string
}

const lineOf = (
  kind: HoldingLine["kind"],
  name: string,
  { bots, owned, venue }: LineAmounts,
  step: string,
  owners: ReadonlyArray<string>
): HoldingLine => {
  const there = decimalOfUnsafe(venue)
  const lack =
    owners.length === 0
      ? nothing
      : lackOf(kind, there, decimalOfUnsafe(owned), decimalOfUnsafe(step))
  return {
    name,
    kind,
    venue,
    bots,
    outside: decimalText(BigDecimal.subtract(there, decimalOfUnsafe(bots))),
    lacking: decimalText(lack),
    mismatched: BigDecimal.isZero(lack) ? [] : owners
  }
}

/**
 * Compares the books with an exchange's holdings, line by line: bots and outside add up to the
 * exchange.
 *
 * **Details**
 *
 * An outside part can't be less than nothing. Where the exchange has less than the bots own, by a
 * step or more, the bots that own some of it are mismatched. A manual sale of a bot's coins is seen
 * so, and so are coins that fees of other markets took. Manual trades with the owner's own coins
 * change `outside` alone.
 *
 * Where the exchange keeps positions, coins are settled by its own rules, and only positions are
 * judged.
 *
 * @category models
 * @since 0.1.0
 */
export const compareHoldings = (
  { bots }: AccountBook,
  { balances, positions }: HeldAmounts,
  options: {
    readonly kind?: Kind | undefined
    readonly stepOf?: ((name: string) => string) | undefined
  } = {}
): ReadonlyArray<HoldingLine> => {
  const { kind = "spot", stepOf = () => "0" } = options
  const shares = Object.entries(bots)
  const ids = shares.map(([id]) => id)
  const ownersOf = (
    name: string,
    parts: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]>
  ) => parts.filter(([, part]) => part[name] !== undefined).map(([id]) => id)
  const net = amountSumsOf(ids.map((id) => netOf({ bots }, id)))
  const own = ids.map((id) => [id, ownCoins({ bots }, id)] as const)
  const owned = amountSumsOf(own.map(([, coins]) => coins))
  const lines: Array<HoldingLine> = []
  for (const name of new Set([...balances.keys(), ...net.keys(), ...owned.keys()])) {
    const amounts = {
      venue: balances.get(name) ?? "0",
      bots: net.get(name) ?? "0",
      owned: owned.get(name) ?? "0"
    }
    const positive = own.filter(([, coins]) => !(coins[name] ?? "0").startsWith("-"))
    const owners = kind === "spot" ? ownersOf(name, positive) : []
    lines.push(lineOf("coin", name, amounts, stepOf(name), owners))
  }
  if (kind === "spot") return lines
  const parts = shares.map(([id, share]) => [id, share.positions] as const)
  const sums = amountSumsOf(parts.map(([, part]) => part))
  for (const name of new Set([...positions.keys(), ...sums.keys()])) {
    const sum = sums.get(name) ?? "0"
    const amounts = { venue: positions.get(name) ?? "0", bots: sum, owned: sum }
    lines.push(lineOf("position", name, amounts, stepOf(name), ownersOf(name, parts)))
  }
  return lines
}
