/**
 * Row 7: one candle for ten thousand bots, each with its own six indicators and a rule.
 */
import { compareDecisions } from "../compare.ts"
import type { Bots } from "../Engine.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure, type Side } from "../measure.ts"
import { debut } from "../peers/debut.ts"
import { indicatorPeers } from "../peers/indicatorPeers.ts"
import { botRuns, distinctIndicators } from "../work/liveBots.ts"
import type { Row } from "./Row.ts"

const gate = 40

/** Candles after which differently seeded averages decide alike, and those that are compared. */
const warmupCount = 600
const comparedCount = 20
const compared = Array.from({ length: comparedCount }, (_, index) => warmupCount + index)

/** Candles of one timed call. */
const stepCount = 5

const decisions = (bots: Bots, count: number): Uint8Array => {
  for (let index = 0; index < warmupCount; index++) bots.step(index)
  const all = new Uint8Array(count * comparedCount)
  compared.forEach((index, at) => all.set(bots.step(index), at * count))
  return all
}

const firstBots = (all: Uint8Array, count: number, kept: number): Uint8Array => {
  const part = new Uint8Array(kept * comparedCount)
  compared.forEach((_, at) => part.set(all.subarray(at * count, at * count + kept), at * kept))
  return part
}

const toSide = (name: string, bots: Bots, count: number, length: number): Side => {
  let next = warmupCount + comparedCount
  return {
    name,
    units: count * stepCount,
    run: () => {
      for (let step = 0; step < stepCount; step++) {
        bots.step(next)
        next = next + 1 < length ? next + 1 : 0
      }
    }
  }
}

export const liveStep: Row = {
  number: 7,
  work: "live step of six indicators and a rule, 10 000 bots with periods of their own",
  unit: "ns per bot",
  gate: "≥ 40× @debut/indicators",
  goal: "≥ 75× @debut/indicators",
  calls: "`makeLiveLanes` of `@candlewick/engine/fast`, and `step` of what it gives",
  run: async ({ candles, engine, sizes }) => {
    const runs = botRuns(sizes.bots)
    const ours = engine.makeBots(candles, runs)
    const found = decisions(ours, runs.length)
    const peers = indicatorPeers.map((peer) => {
      const count = Math.min(peer.botCount, runs.length)
      const periods = runs.slice(0, count).map(({ values }) => values)
      return { peer, count, bots: peer.makeBots(candles, periods) }
    })
    const comparisons = peers.map(({ bots, count, peer }) =>
      compareDecisions(
        peer.name,
        firstBots(found, runs.length, count),
        decisions(bots, count),
        peer.decisionTolerance
      )
    )
    const entered = found.reduce((sum, one) => sum + one, 0) / found.length
    const notes = [
      `${(entered * 100).toFixed(1)} % of the compared decisions are to enter; ` +
        peers.map(({ count, peer }) => `${peer.name} with ${formatCount(count)} bots`).join(", "),
      `the ${formatCount(runs.length)} bots ask for ${formatCount(6 * runs.length)} indicators, of ` +
        `which ${formatCount(distinctIndicators(runs.map(({ values }) => values)))} are distinct, ` +
        "close and rule aside: ours computes each of these once, the libraries compute them all",
      "ours are lanes: bots on one market and one timeframe, which compute what they share once; " +
        "ten of the indicators have a form for lanes (SMA, EMA, DEMA, TEMA, standard deviation, " +
        "RSI, MACD, Bollinger, ATR, Donchian), and a bot that asks for another, or for a higher " +
        "timeframe, is stepped by itself; the service's bots do not run on lanes yet, and step " +
        "each market by itself"
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const [mine, ...others] = await measure(
      [
        toSide("ours", ours, runs.length, candles.length),
        ...peers.map(({ bots, count, peer }) => toSide(peer.name, bots, count, candles.length))
      ],
      { rounds: sizes.rounds, clock: "cpu", callMinMs: 50 }
    )
    const rivals = others.map(({ name, nsPerUnit }) => ({
      name,
      figure: `${formatNumber(nsPerUnit)} ns`,
      ratio: nsPerUnit / mine!.nsPerUnit
    }))
    const toDebut = rivals.find(({ name }) => name === debut.name)?.ratio ?? 0
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(mine!.nsPerUnit)} ns`,
        rivals,
        isGateMet: toDebut >= gate
      },
      notes
    }
  }
}
