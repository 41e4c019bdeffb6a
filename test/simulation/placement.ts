/**
 * A model of placement. Each bot is one process's, and moves when processes come and go. Two may
 * claim it for a while, because a process that is frozen or cut off believes the last it heard.
 */
import type { BotPlacement, BotRunners } from "@candlewick/core"
import { Effect } from "effect"
import type { Counts } from "./counts.ts"
import type { Lane, Simulator } from "./seededScheduler.ts"

/** How long a process may take to let its bots go before they are given to another. */
const drainMs = 3_000

interface Member {
  readonly lane: Lane
  /** The shares that it takes for its own. */
  readonly believed: Set<string>
  runners: BotRunners | null
  /** Whether it hears of nothing, though it works. */
  isCutOff: boolean
}

/** The owner of each bot, and the processes that believe to be it. */
export class Placement {
  readonly #simulator: Simulator
  readonly #counts: Counts
  /** The lane of whoever places. */
  readonly #lane: Lane
  readonly #owners = new Map<string, Lane>()
  readonly #members = new Map<Lane, Member>()

  constructor(simulator: Simulator, counts: Counts) {
    this.#simulator = simulator
    this.#counts = counts
    this.#lane = simulator.lane("placement")
  }

  /** The port as a process has it. */
  join(lane: Lane): BotPlacement["Service"] {
    const member: Member = { lane, believed: new Set(), runners: null, isCutOff: false }
    this.#members.set(lane, member)
    return {
      shareOf: (key) => key,
      isMine: (share) => this.#isMine(member, share),
      hasOwner: (share) => Effect.sync(() => this.#owners.has(share)),
      takeLoss: () => null,
      serve: (runners) =>
        Effect.acquireUseRelease(
          Effect.suspend(() => {
            member.runners = runners
            return runners.gained
          }),
          () => Effect.never,
          () => Effect.sync(() => this.leave(lane))
        )
    }
  }

  #isMine(member: Member, share: string): boolean {
    if (!this.#owners.has(share) && member.runners !== null && !member.isCutOff) {
      this.#owners.set(share, member.lane)
      member.believed.add(share)
    }
    return member.believed.has(share)
  }

  /** Has a process that ended own nothing more; the others are told. */
  leave(lane: Lane): void {
    const member = this.#members.get(lane)
    if (member === undefined) return
    this.#members.delete(lane)
    member.runners = null
    for (const [share, owner] of this.#owners) if (owner === lane) this.#owners.delete(share)
    for (const other of this.#members.values()) this.#tellGained(other)
  }

  /** The same for a process that is no more, or seems to be, once that was noticed. */
  loseAfter(lane: Lane, ms: number): void {
    this.#simulator.after(ms, this.#lane, () => {
      if (lane.status === "dead") this.leave(lane)
      else if (lane.status === "frozen") this.#disown(lane)
    })
  }

  /** Takes the shares of one who does not answer, who goes on believing that they are its own. */
  #disown(lane: Lane): void {
    for (const [share, owner] of this.#owners) {
      if (owner !== lane) continue
      this.#counts.add("placement.twoOwners")
      this.#owners.delete(share)
    }
    for (const other of this.#members.values()) if (other.lane !== lane) this.#tellGained(other)
  }

  /** Has a process hear, after a while, which shares it has lost meanwhile. */
  catchUpAfter(lane: Lane, ms: number): void {
    this.#simulator.after(ms, lane, () => {
      const member = this.#members.get(lane)
      if (member === undefined) return
      member.isCutOff = false
      for (const share of member.believed) {
        if (this.#owners.get(share) !== lane) this.#tellLost(member, share, () => {})
      }
    })
  }

  /** Gives a bot to a process, once its owner has let it go, or did not in time. */
  give(share: string, lane: Lane): void {
    const next = this.#members.get(lane)
    const before = this.#owners.get(share)
    if (next === undefined || before === lane) return
    this.#counts.add("placement.moves")
    const owner = before === undefined ? undefined : this.#members.get(before)
    let isGiven = false
    const give = (): void => {
      if (isGiven) return
      isGiven = true
      if (this.#members.get(lane) !== next) return this.#free(share)
      this.#owners.set(share, lane)
      next.believed.add(share)
      this.#tellGained(next)
    }
    if (owner === undefined) return give()
    this.#tellLost(owner, share, give)
    this.#simulator.after(drainMs, this.#lane, give)
  }

  /** Leaves a bot to whoever is there, because the process that was to have it is gone. */
  #free(share: string): void {
    this.#owners.delete(share)
    for (const member of this.#members.values()) this.#tellGained(member)
  }

  /** Gives a bot to another process while its owner, cut off, goes on for so long. */
  steal(share: string, lane: Lane, ms: number): void {
    const before = this.#owners.get(share)
    const next = this.#members.get(lane)
    if (before === undefined || before === lane || next === undefined) return
    const owner = this.#members.get(before)
    if (owner === undefined) return
    this.#counts.add("placement.twoOwners")
    owner.isCutOff = true
    this.#owners.set(share, lane)
    next.believed.add(share)
    this.#tellGained(next)
    this.catchUpAfter(before, ms)
  }

  #tellGained({ lane, runners }: Member): void {
    if (runners !== null) this.#simulator.fork(lane, runners.gained)
  }

  #tellLost(member: Member, share: string, then: () => void): void {
    member.believed.delete(share)
    if (member.runners === null) return then()
    this.#simulator.fork(member.lane, member.runners.lost(share), () => this.#lane.enqueue(then))
  }
}
