/**
 * Live candles for the bots of a process: one stream for all bots of an account that follow the
 * same markets.
 *
 * Each bot gets a recording at its own place, from one copy. A live source sends everyone the
 * same at once, and each of its streams may be a connection of its own. So bots listen to one of
 * them. A bot that is behind the others first gets the missing candles by a stream of its own.
 *
 * @since 0.1.0
 */
import { Effect, type Exit, Fiber, PubSub, type Scope, Stream } from "effect"
import { MarketDataError, SourceUnavailable } from "../../domain/MarketDataError.ts"
import type { MarketData, MarketUpdate } from "../../ports/MarketData.ts"

type Source = MarketData["Service"]
type Asked = Parameters<Source["candles"]>[0]

/** The message to a listener: news, or the end of the stream. */
type Item =
  | { readonly type: "news"; readonly update: MarketUpdate }
  | { readonly type: "over"; readonly exit: Exit.Exit<never, MarketDataError> }

/** A stream of the source, and its listeners. */
interface Feed {
  readonly items: PubSub.PubSub<Item>
  /** Open time of the newest candle that it has sent, or from which on it began. */
  newest: number | null
  listeners: number
  isBegun: boolean
  fiber: Fiber.Fiber<void> | null
}

const keyOf = ({ accountId, symbols, timeframe }: Asked): string =>
  JSON.stringify([accountId, symbols, timeframe])

/** A live stream that ends is lost: its bots open it again, each after its last candle. */
const endIsLoss = Effect.failSync(
  () =>
    new MarketDataError({
      reason: new SourceUnavailable({ cause: "the source has ended its stream" })
    })
)

/** Whether a listener lacks candles that the feed has sent already. */
const isBehind = (after: number | null, newest: number | null): newest is number =>
  newest !== null && (after === null || after < newest)

/** Keeps each candle after a place once. */
const onceAfter = (after: number | null): ((update: MarketUpdate) => boolean) => {
  let last = after
  return (update) => {
    if (update.type !== "candles") return true
    if (last !== null && update.time <= last) return false
    last = update.time
    return true
  }
}

/** The messages to a listener after its place, each candle once. */
const told = (
  source: Source,
  asked: Asked,
  items: Stream.Stream<Item>,
  newest: number | null
): Stream.Stream<MarketUpdate, MarketDataError> => {
  const rest = Stream.mapEffect(items, (item) =>
    item.type === "news" ? Effect.succeed(item.update) : item.exit
  )
  const missing = isBehind(asked.after, newest)
    ? Stream.takeUntil(
        Stream.concat(source.candles(asked), Stream.fromEffect(endIsLoss)),
        (update) => update.type === "candles" && update.time >= newest
      )
    : Stream.empty
  return Stream.filter(Stream.concat(missing, rest), onceAfter(asked.after))
}

/** The same source, whose live streams are shared. */
export const shareFeeds = Effect.fnUntraced(function* (
  source: Source
): Effect.fn.Return<Source, never, Scope.Scope> {
  if (source.clock === "replay") return source
  const scope = yield* Effect.scope
  const feeds = new Map<string, Feed>()

  const run = (key: string, feed: Feed, asked: Asked): Effect.Effect<void> =>
    Stream.runForEach(source.candles(asked), (update) =>
      Effect.suspend(() => {
        if (update.type === "candles") feed.newest = update.time
        return PubSub.publish(feed.items, { type: "news", update })
      })
    ).pipe(
      Effect.andThen(endIsLoss),
      Effect.exit,
      Effect.flatMap((exit) =>
        Effect.suspend(() => {
          // A caller from here on opens another.
          if (feeds.get(key) === feed) feeds.delete(key)
          return PubSub.publish(feed.items, { type: "over", exit })
        })
      ),
      Effect.asVoid
    )

  const leave = (key: string, feed: Feed): Effect.Effect<void> =>
    Effect.suspend(() => {
      feed.listeners--
      if (feed.listeners > 0) return Effect.void
      if (feeds.get(key) === feed) feeds.delete(key)
      return feed.fiber === null ? Effect.void : Fiber.interrupt(feed.fiber)
    })

  const join = Effect.fnUntraced(function* (asked: Asked) {
    const key = keyOf(asked)
    for (;;) {
      const items = yield* PubSub.unbounded<Item>()
      const begun = { items, newest: asked.after, listeners: 0, isBegun: false, fiber: null }
      const feed: Feed = feeds.get(key) ?? begun
      feed.listeners++
      feeds.set(key, feed)
      const subscription = yield* PubSub.subscribe(feed.items)
      // A feed that ended meanwhile may have said so before this was there to hear it.
      if (feeds.get(key) !== feed) continue
      const { isBegun } = feed
      // A later bot than that which made the feed may begin it, at its own place.
      if (!isBegun) feed.newest = asked.after
      feed.isBegun = true
      const { newest } = feed
      if (!isBegun) feed.fiber = yield* Effect.forkIn(run(key, feed, asked), scope)
      return { feed, key, newest, subscription }
    }
  })

  const listen = (asked: Asked) =>
    Effect.map(
      Effect.acquireRelease(join(asked), ({ feed, key }) => leave(key, feed)),
      ({ newest, subscription }) =>
        told(source, asked, Stream.fromSubscription(subscription), newest)
    )
  return { ...source, candles: (asked) => Stream.unwrap(listen(asked)) }
})
