/**
 * The bots of this process that something keeps from acting, as `/metrics` shows them.
 *
 * @since 0.1.0
 */
import { Effect, Metric } from "effect"
import { type Hindrance, type HindranceKind, hindranceKinds } from "../../domain/Hindrance.ts"

const hindered = Metric.gauge("candlewick_bots_hindered", {
  description: "Bots of this process that a hindrance keeps from acting, by its kind"
})

/** The facts that this process knows of its bots without asking its store. */
export interface HinderedBots {
  /** Shows that a bot has a fibre here. */
  readonly follow: (botId: string) => void
  /** Whether a bot has a fibre here. */
  readonly isFollowed: (botId: string) => boolean
  /** Shows the kinds of hindrances that a bot has now. */
  readonly show: (botId: string, kinds: ReadonlyArray<HindranceKind>) => Effect.Effect<void>
  /** Shows whether a bot has a position whose stop is missing: it may open others. */
  readonly showUnprotected: (botId: string, isUnprotected: boolean) => Effect.Effect<void>
  /** Remembers for the bot's next step that it has waited. */
  readonly noteWait: (botId: string, hindrance: Hindrance) => void
  /** The causes that the bot has waited for since it was asked last. */
  readonly takeWait: (botId: string) => Hindrance | null
  /** Shows why a bot's fibre fails and tries again; null once it does not. */
  readonly showFailure: (botId: string, failure: Hindrance | null) => Effect.Effect<void>
  /** The reason for which a bot's fibre fails and tries again. */
  readonly failureOf: (botId: string) => Hindrance | null
  /** Forgets a bot whose fibre has ended. */
  readonly leave: (botId: string) => Effect.Effect<void>
}

const makeCounts = () => {
  const counts = new Map<HindranceKind, number>(hindranceKinds.map((kind) => [kind, 0]))
  const gauges = new Map(
    hindranceKinds.map((kind) => [kind, Metric.withAttributes(hindered, { kind })])
  )
  return (kind: HindranceKind, change: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const count = counts.get(kind)! + change
      counts.set(kind, count)
      return Metric.update(gauges.get(kind)!, count)
    })
}

/** As long as no bot runs here. */
export const makeHinderedBots = Effect.gen(function* () {
  const shown = new Map<string, ReadonlyArray<HindranceKind>>()
  const waits = new Map<string, Hindrance>()
  const failures = new Map<string, Hindrance>()
  const followed = new Set<string>()
  const unprotected = new Set<string>()
  const count = makeCounts()
  for (const kind of hindranceKinds) yield* count(kind, 0)
  const show: HinderedBots["show"] = Effect.fnUntraced(function* (botId, found) {
    const before = shown.get(botId) ?? []
    // The step that is tried again finds nothing of that, and is not kept.
    const failure = failures.get(botId)
    const isMore = failure !== undefined && !found.includes(failure.kind)
    const kinds = isMore ? [...found, failure.kind] : found
    if (kinds.length === 0) shown.delete(botId)
    else shown.set(botId, kinds)
    for (const kind of before) if (!kinds.includes(kind)) yield* count(kind, -1)
    for (const kind of kinds) if (!before.includes(kind)) yield* count(kind, 1)
  })
  const showUnprotected: HinderedBots["showUnprotected"] = (botId, isUnprotected) =>
    Effect.suspend(() => {
      if (unprotected.has(botId) === isUnprotected) return Effect.void
      if (isUnprotected) unprotected.add(botId)
      else unprotected.delete(botId)
      return count("unprotected", isUnprotected ? 1 : -1)
    })
  const board: HinderedBots = {
    follow: (botId) => void followed.add(botId),
    isFollowed: (botId) => followed.has(botId),
    show,
    showUnprotected,
    noteWait: (botId, hindrance) => void waits.set(botId, hindrance),
    takeWait: (botId) => {
      const wait = waits.get(botId) ?? null
      waits.delete(botId)
      return wait
    },
    showFailure: (botId, failure) =>
      Effect.suspend(() => {
        if (failure === null) failures.delete(botId)
        else failures.set(botId, failure)
        return show(botId, [])
      }),
    failureOf: (botId) => failures.get(botId) ?? null,
    leave: (botId) =>
      Effect.suspend(() => {
        followed.delete(botId)
        failures.delete(botId)
        waits.delete(botId)
        return Effect.andThen(showUnprotected(botId, false), show(botId, []))
      })
  }
  return board
})
