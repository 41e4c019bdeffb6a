/**
 * A placement of bots on processes of one test, which the test moves by hand.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { BotPlacement, type BotRunners } from "../ports/BotPlacement.ts"

/** A process of a test: its belief about shares, and the owner of its bots. */
interface Process {
  readonly name: string
  /** The shares that it takes for its own. */
  readonly shares: Set<string>
  runners: BotRunners | null
  /** Whether it hears nothing more, as one that stands still. */
  isFrozen: boolean
}

/** Placements of one test. @category testing @since 0.1.0 */
export interface Placements {
  /**
   * The placement of a process. A share without an owner is the first one's who serves and asks; it
   * is free again once that process has ended.
   */
  readonly layer: (name: string) => Layer.Layer<BotPlacement>

  /** Gives the share of a key to a process, once the owner before has let its bots go. */
  readonly give: (key: string, name: string) => Effect.Effect<void>

  /**
   * Loses a process of which nothing was heard for so long. Its shares are free, and the
   * process that takes one knows of the loss.
   */
  readonly lose: (name: string, silentMs: number) => Effect.Effect<void>

  /** Keeps a process from hearing that it loses shares, so that it believes it still has them. */
  readonly freeze: (name: string) => void
}

const makeProcess = (name: string): Process => ({
  name,
  shares: new Set(),
  runners: null,
  isFrozen: false
})

const begin = (process: Process, runners: BotRunners): Effect.Effect<void> =>
  Effect.suspend(() => {
    process.runners = runners
    return runners.gained
  })

class PlacementTable {
  readonly #processes = new Map<string, Process>()
  readonly #owners = new Map<string, string>()
  /** For how long nothing was heard of the lost processes of shares, in milliseconds. */
  readonly #losses = new Map<string, number>()

  process(name: string): Process {
    const found = this.#processes.get(name) ?? makeProcess(name)
    this.#processes.set(name, found)
    return found
  }

  isMine(process: Process, share: string): boolean {
    if (!this.#owners.has(share) && process.runners !== null) {
      this.#owners.set(share, process.name)
      process.shares.add(share)
    }
    return process.shares.has(share)
  }

  hasOwner(share: string): boolean {
    const name = this.#owners.get(share)
    return name !== undefined && this.process(name).runners !== null
  }

  takeLoss(share: string): number | null {
    const silentMs = this.#losses.get(share) ?? null
    this.#losses.delete(share)
    return silentMs
  }

  readonly give = Effect.fnUntraced(function* (this: PlacementTable, key: string, name: string) {
    const before = this.#owners.get(key)
    const owner = before === undefined ? undefined : this.process(before)
    const next = this.process(name)
    this.#owners.set(key, name)
    if (owner !== undefined && !owner.isFrozen) {
      owner.shares.delete(key)
      if (owner.runners !== null) yield* owner.runners.lost(key)
    }
    next.shares.add(key)
    if (next.runners !== null) yield* next.runners.gained
  })

  lose(name: string, silentMs: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (const share of this.process(name).shares) this.#losses.set(share, silentMs)
      return this.end(this.process(name))
    })
  }

  end(process: Process): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { name, shares } = process
      process.runners = null
      for (const share of shares) if (this.#owners.get(share) === name) this.#owners.delete(share)
      shares.clear()
      const others = [...this.#processes.values()].flatMap(({ runners }) => runners ?? [])
      return Effect.forEach(others, ({ gained }) => gained, { discard: true })
    })
  }
}

const placementOf = (table: PlacementTable, process: Process): BotPlacement["Service"] => ({
  shareOf: (key) => key,
  isMine: (share) => table.isMine(process, share),
  hasOwner: (share) => Effect.sync(() => table.hasOwner(share)),
  takeLoss: (share) => table.takeLoss(share),
  serve: (runners) =>
    Effect.acquireUseRelease(
      begin(process, runners),
      () => Effect.never,
      () => table.end(process)
    )
})

/**
 * Placements of one test, without processes yet. Each key is a share of its own.
 *
 * @category testing
 * @since 0.1.0
 */
export const makePlacements = (): Placements => {
  const table = new PlacementTable()
  return {
    give: (key, name) => table.give(key, name),
    lose: (name, silentMs) => table.lose(name, silentMs),
    freeze: (name) => {
      table.process(name).isFrozen = true
    },
    layer: (name) => Layer.sync(BotPlacement, () => placementOf(table, table.process(name)))
  }
}
