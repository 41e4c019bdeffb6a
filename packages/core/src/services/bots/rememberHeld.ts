/**
 * The memory of positions in parts as it was kept; where none was kept, it is made of the holdings.
 *
 * @since 0.1.0
 */
import {
  type Book,
  type LadderMemory,
  makeLadderMemory,
  showLadderFill
} from "@candlewick/engine/kernel"

/** The memory of a position whose entries are not remembered: they count as one. */
export const rememberHeld = (
  { position }: Pick<Book, "position">,
  market: number
): LadderMemory => {
  const memory = makeLadderMemory()
  if (position === null) return memory
  const { entryIndex: index, entryPrice: price, entryTime: time } = position
  showLadderFill(memory, {
    orderId: `e${index}`,
    market,
    leg: "entry",
    side: position.quantity > 0 ? 1 : -1,
    quantity: Math.abs(position.quantity),
    price,
    fee: 0,
    index,
    time,
    effect: "open",
    closed: null
  })
  return memory
}

type KeptLevel = NonNullable<LadderMemory["targets"]>[number]

/** A level that was not known when it was noted is NaN, which is null once it was kept as JSON. */
const known = (level: KeptLevel): KeptLevel =>
  (level.value as number | null) === null ? { ...level, value: Number.NaN } : level

const withLevels = (memory: LadderMemory): LadderMemory => {
  const { levels, targets } = memory
  return {
    ...makeLadderMemory(),
    ...memory,
    targets: targets && targets.map(known),
    levels: levels && {
      stop: levels.stop && known(levels.stop),
      target: levels.target && known(levels.target)
    }
  }
}

/** The memory of all ladders; a market without a kept memory gets one made of its holdings. */
export const rememberAll = (
  books: ReadonlyArray<Pick<Book, "position">>,
  ladders: ReadonlyArray<LadderMemory> | undefined
): Array<LadderMemory> =>
  books.map((book, market) => {
    const kept = ladders?.[market]
    return kept === undefined ? rememberHeld(book, market) : withLevels(kept)
  })
