/**
 * The number of requests that each endpoint may get now. A bucket of tokens keeps its rate, and a
 * breaker pauses it while it fails.
 *
 * Kept by the process that sends: several of them each count on their own.
 *
 * @since 0.1.0
 */
import { Limits } from "@candlewick/core"

const failuresInRowMax = 5
const windowMs = 60_000
const windowMinCount = 10
const windowFailureRate = 0.5
const pauseMinMs = 30_000
const pauseMaxMs = 600_000
/** After such a silence even failures are forgotten, so that no endpoint is remembered for ever. */
const silenceMaxMs = pauseMaxMs
const burstSeconds = Limits.webhookBurstCount / Limits.webhookRatePerSecond

/**
 * The sign that the end of a request gives of its endpoint; `nothing` where it was a sample or this
 * side broke it off.
 *
 * @category models
 * @since 0.1.0
 */
export type GateVerdict = "accepted" | "failed" | "nothing"

interface Gate {
  ratePerSecond: number
  tokens: number
  filledAtMs: number
  underWay: number
  failuresInRow: number
  /** The ends of attempts within the window, the oldest first. */
  ends: Array<{ readonly atMs: number; readonly isFailure: boolean }>
  openUntilMs: number | null
  pauseMs: number
  /** The repair after which it counts. */
  repairedAt: string | null
  /** When a request last began or ended. */
  touchedAtMs: number
}

/** Which endpoints may be sent how much. @category models @since 0.1.0 */
export interface EndpointGates {
  /** How many more each endpoint that is held back may be sent; others are not named. */
  readonly allowances: (nowMs: number) => ReadonlyMap<string, number>
  /** When an endpoint that is held back may be sent something again, or infinity. */
  readonly nextAt: (nowMs: number) => number
  /** Takes a token and counts a request; when there is none, says when there will be. */
  readonly begin: (
    id: string,
    rate: number | null,
    nowMs: number,
    repairedAt?: string | null
  ) => number | null
  /** Counts the end of a request; says whether the breaker opened. */
  readonly end: (id: string, verdict: GateVerdict, nowMs: number) => boolean
  /** The endpoints whose breakers let nothing through at this time. */
  readonly shut: (nowMs: number) => ReadonlyArray<string>
  /** Until when an endpoint's breaker is open, or null. */
  readonly openUntil: (id: string) => number | null
  /** Closes the breaker of an endpoint that accepted something. */
  readonly close: (id: string) => void
  /** Closes it where the endpoint was repaired since it began to count. */
  readonly repair: (id: string, repairedAt: string | null) => void
}

const burstOf = (gate: Gate): number => Math.max(1, gate.ratePerSecond * burstSeconds)

const fill = (gate: Gate, nowMs: number): void => {
  const earned = (Math.max(0, nowMs - gate.filledAtMs) / 1000) * gate.ratePerSecond
  gate.tokens = Math.min(burstOf(gate), gate.tokens + earned)
  gate.filledAtMs = nowMs
}

const tokenAt = (gate: Gate, nowMs: number): number =>
  gate.tokens >= 1 ? nowMs : nowMs + Math.ceil(((1 - gate.tokens) / gate.ratePerSecond) * 1000)

const allowanceOf = (gate: Gate, nowMs: number): number => {
  if (gate.openUntilMs !== null) {
    // Half open: one probe.
    return nowMs < gate.openUntilMs || gate.underWay > 0 ? 0 : Math.min(1, Math.floor(gate.tokens))
  }
  return Math.floor(gate.tokens)
}

const close = (gate: Gate): void => {
  gate.openUntilMs = null
  gate.pauseMs = pauseMinMs
  gate.failuresInRow = 0
  gate.ends = []
}

const repair = (gate: Gate, repairedAt: string | null): void => {
  if (gate.repairedAt === repairedAt) return
  gate.repairedAt = repairedAt
  close(gate)
}

const isIdle = (gate: Gate, nowMs: number): boolean => {
  if (gate.underWay > 0 || gate.tokens < burstOf(gate)) return false
  const isClean = gate.openUntilMs === null && gate.failuresInRow === 0
  const quietSinceMs = Math.max(gate.touchedAtMs, gate.openUntilMs ?? 0)
  return quietSinceMs < nowMs - (isClean ? windowMs : silenceMaxMs)
}

const shouldOpen = (gate: Gate, nowMs: number): boolean => {
  const first = gate.ends.findIndex(({ atMs }) => atMs >= nowMs - windowMs)
  gate.ends = first < 0 ? [] : gate.ends.slice(first)
  const failures = gate.ends.filter(({ isFailure }) => isFailure).length
  return (
    gate.failuresInRow >= failuresInRowMax ||
    (gate.ends.length >= windowMinCount && failures >= gate.ends.length * windowFailureRate)
  )
}

/** Takes a token and counts a request; when there is none, says when there will be. */
const begin = (gate: Gate, nowMs: number): number | null => {
  fill(gate, nowMs)
  if (allowanceOf(gate, nowMs) < 1) {
    return Math.max(nowMs + 1, gate.openUntilMs ?? 0, tokenAt(gate, nowMs))
  }
  gate.tokens--
  gate.underWay++
  gate.touchedAtMs = nowMs
  return null
}

/** Counts the end of a request; says whether the breaker opened. */
const end = (gate: Gate, verdict: GateVerdict, nowMs: number): boolean => {
  gate.underWay = Math.max(0, gate.underWay - 1)
  gate.touchedAtMs = Math.max(gate.touchedAtMs, nowMs)
  if (verdict === "nothing") return false
  const isFailure = verdict === "failed"
  gate.ends.push({ atMs: nowMs, isFailure })
  gate.failuresInRow = isFailure ? gate.failuresInRow + 1 : 0
  if (gate.openUntilMs !== null) {
    // Requests that were under way when it opened say nothing new.
    if (nowMs < gate.openUntilMs && isFailure) return false
    gate.pauseMs = isFailure ? Math.min(pauseMaxMs, 2 * gate.pauseMs) : pauseMinMs
    gate.openUntilMs = isFailure ? nowMs + gate.pauseMs : null
    if (!isFailure) gate.ends = []
    return isFailure
  }
  if (!isFailure || !shouldOpen(gate, nowMs)) return false
  gate.openUntilMs = nowMs + gate.pauseMs
  return true
}

const makeGate = (ratePerSecond: number, nowMs: number, repairedAt: string | null): Gate => ({
  ratePerSecond,
  tokens: Math.max(1, ratePerSecond * burstSeconds),
  filledAtMs: nowMs,
  underWay: 0,
  failuresInRow: 0,
  ends: [],
  openUntilMs: null,
  pauseMs: pauseMinMs,
  repairedAt,
  touchedAtMs: nowMs
})

type Gates = Map<string, Gate>

/** The gate of an endpoint, at the rate and since the repair that are known of it by now. */
const gateOf = (
  gates: Gates,
  id: string,
  rate: number | null,
  nowMs: number,
  repairedAt: string | null
): Gate => {
  const ratePerSecond = rate ?? Limits.webhookRatePerSecond
  const found = gates.get(id)
  if (found !== undefined) {
    found.ratePerSecond = ratePerSecond
    repair(found, repairedAt)
    return found
  }
  const gate = makeGate(ratePerSecond, nowMs, repairedAt)
  gates.set(id, gate)
  return gate
}

/** The gates that hold something back; those that have long been idle are forgotten. */
const heldBack = (gates: Gates, nowMs: number): ReadonlyArray<readonly [string, Gate]> => {
  const held: Array<readonly [string, Gate]> = []
  for (const [id, gate] of gates) {
    fill(gate, nowMs)
    if (isIdle(gate, nowMs)) gates.delete(id)
    else if (gate.openUntilMs !== null || gate.tokens < Limits.webhookInFlightPerAccountMax) {
      held.push([id, gate])
    }
  }
  return held
}

/** When the first of the gates that hold something back lets something through, or infinity. */
const nextAt = (gates: Gates, nowMs: number): number => {
  let next = Number.POSITIVE_INFINITY
  for (const [, gate] of heldBack(gates, nowMs)) {
    const at = Math.max(gate.openUntilMs ?? 0, tokenAt(gate, nowMs))
    if (at > nowMs) next = Math.min(next, at)
  }
  return next
}

/** Gates that hold nothing back yet. @category constructors @since 0.1.0 */
export const makeEndpointGates = (): EndpointGates => {
  const gates: Gates = new Map()
  return {
    allowances: (nowMs) =>
      new Map(heldBack(gates, nowMs).map(([id, gate]) => [id, allowanceOf(gate, nowMs)])),
    nextAt: (nowMs) => nextAt(gates, nowMs),
    begin: (id, rate, nowMs, repairedAt = null) =>
      begin(gateOf(gates, id, rate, nowMs, repairedAt), nowMs),
    end: (id, verdict, nowMs) => {
      const gate = gates.get(id)
      return gate !== undefined && end(gate, verdict, nowMs)
    },
    shut: (nowMs) =>
      [...gates].filter(([, gate]) => nowMs < (gate.openUntilMs ?? nowMs)).map(([id]) => id),
    openUntil: (id) => gates.get(id)?.openUntilMs ?? null,
    close: (id) => {
      const gate = gates.get(id)
      if (gate !== undefined) close(gate)
    },
    repair: (id, repairedAt) => {
      const gate = gates.get(id)
      if (gate !== undefined) repair(gate, repairedAt)
    }
  }
}
