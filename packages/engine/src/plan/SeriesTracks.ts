/**
 * The shared computations of many bots' steps, series by series.
 *
 * A follower reads the values of a series at the candle that it has come to, and none of a later
 * one. The first follower at a candle makes the nodes compute, and the others read their values.
 * All followers of a track have seen the same candles, number by number. A follower that is shown
 * another candle than the others goes on by a track of its own. A follower that has fallen too far
 * behind does too.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../kernel/columns.ts"
import type { StepCandle } from "./candleLanes.ts"
import { SeriesNodes, type WantedNode } from "./SeriesNodes.ts"
import { CandleRecord } from "./CandleRecord.ts"
import { type SharedNode, tapeLength } from "./SharedNode.ts"

/** Candles that some have seen, and the nodes that they read of them. */
class SeriesTrack {
  readonly record: CandleRecord
  readonly nodes = new SeriesNodes()
  followers = 0

  constructor(seen: CandleColumns) {
    this.record = new CandleRecord(seen)
  }

  /** Whether the values at a candle, at the one before it and at all after it are at hand. */
  #reaches(index: number): boolean {
    return index <= this.record.length && index > this.record.length - tapeLength
  }

  /** Whether a follower that has seen these candles has seen the same as the others. */
  suits(seen: CandleColumns): boolean {
    return this.#reaches(seen.length) && this.record.startsWith(seen)
  }

  /**
   * Takes a candle for a follower that has seen so many; false where the others have another
   * candle.
   */
  take(candle: StepCandle, index: number): boolean {
    if (index < this.record.length) return this.#reaches(index) && this.record.isAt(index, candle)
    this.record.push(candle)
    this.nodes.run(candle, index)
    return true
  }
}

/** A follower of a series. @category models @since 0.1.0 */
export interface SeriesFollower {
  /** Takes the next candle; candles come in time order. */
  readonly take: (candle: StepCandle) => void
  /** The value of a node that was asked for, by its number, at the last candle. */
  readonly read: (nth: number) => number
  /** Ends it: nodes without another reader are computed no more. */
  readonly leave: () => void
}

/** The wanted nodes of a series: all nodes to compute, and the ones among them that are read. */
export interface AskedNodes {
  readonly nodes: ReadonlyArray<WantedNode>
  readonly read: ReadonlyArray<WantedNode>
}

/** The tracks of all series that somebody follows. @category models @since 0.1.0 */
export class SeriesTracks {
  readonly #tracks = new Map<string, Set<SeriesTrack>>()

  /** The number of tracks, their followers, and the number of nodes that they compute. */
  get counts(): { readonly tracks: number; readonly followers: number; readonly nodes: number } {
    let [tracks, followers, nodes] = [0, 0, 0]
    for (const ofSeries of this.#tracks.values()) {
      for (const track of ofSeries) {
        tracks += 1
        followers += track.followers
        nodes += track.nodes.size
      }
    }
    return { tracks, followers, nodes }
  }

  /** Follows a series from after the candles that were seen. */
  follow(series: string, seen: CandleColumns, asked: AskedNodes): SeriesFollower {
    let track = this.#join(series, seen)
    let nodes = track.nodes.take(asked.nodes, track.record)
    const readOf = (): ReadonlyArray<SharedNode> => {
      const byKey = new Map(nodes.map((node) => [node.key, node]))
      return asked.read.map(({ key }) => byKey.get(key)!)
    }
    let read = readOf()
    let index = seen.length
    const leave = (): void => {
      track.nodes.giveBack(nodes)
      this.#leave(series, track)
    }
    return {
      take: (candle) => {
        if (!track.take(candle, index)) {
          const own = track.record.toColumns(index)
          leave()
          track = this.#join(series, own, candle)
          nodes = track.nodes.take(asked.nodes, track.record)
          read = readOf()
          track.take(candle, index)
        }
        index += 1
      },
      read: (nth) => read[nth]!.at(index - 1),
      leave
    }
  }

  /** The track of the followers that have seen these candles, and whose next candle is the same. */
  #join(series: string, seen: CandleColumns, next?: StepCandle): SeriesTrack {
    const ofSeries = this.#tracks.get(series) ?? new Set()
    this.#tracks.set(series, ofSeries)
    let track: SeriesTrack | undefined
    for (const one of ofSeries) {
      const { length } = one.record
      if (!one.suits(seen)) continue
      if (next !== undefined && seen.length < length && !one.record.isAt(seen.length, next))
        continue
      track = one
      break
    }
    if (track === undefined) {
      track = new SeriesTrack(seen)
      ofSeries.add(track)
    } else track.record.shareFirst(seen)
    track.followers += 1
    return track
  }

  #leave(series: string, track: SeriesTrack): void {
    track.followers -= 1
    if (track.followers > 0) return
    const ofSeries = this.#tracks.get(series)
    ofSeries?.delete(track)
    if (ofSeries?.size === 0) this.#tracks.delete(series)
  }
}
