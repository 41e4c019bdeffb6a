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

/**
 * Placements of one test, without processes yet. Each key is a share of its own.
 *
 * @category testing
 * @since 0.1.0
 */
export const makePlacements = (): Placements => {
  const processes = new Map<string, Process>()
  const owners = new Map<string, string>()

  const processOf = (name: string): Process => {
    const found = processes.get(name) ?? makeProcess(name)
    processes.set(name, found)
    return found
  }

  const isMine = (process: Process, share: string): boolean => {
    if (!owners.has(share) && process.runners !== null) {
      owners.set(share, process.name)
      process.shares.add(share)
    }
    return process.shares.has(share)
  }

  const hasOwner = (share: string): boolean => {
    const name = owners.get(share)
    return name !== undefined && processOf(name).runners !== null
  }

  const give = Effect.fnUntraced(function* (key: string, name: string) {
    const before = owners.get(key)
    const owner = before === undefined ? undefined : processOf(before)
    const next = processOf(name)
    owners.set(key, name)
    if (owner !== undefined && !owner.isFrozen) {
      owner.shares.delete(key)
      if (owner.runners !== null) yield* owner.runners.lost(key)
    }
    next.shares.add(key)
    if (next.runners !== null) yield* next.runners.gained
  })

  const end = (process: Process): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { name, shares } = process
      process.runners = null
      for (const share of shares) if (owners.get(share) === name) owners.delete(share)
      shares.clear()
      const others = [...processes.values()].flatMap(({ runners }) => runners ?? [])
      return Effect.forEach(others, ({ gained }) => gained, { discard: true })
    })

  return {
    give,
    freeze: (name) => {
      processOf(name).isFrozen = true
    },
    layer: (name) =>
      Layer.sync(BotPlacement, () => {
        const process = processOf(name)
        return {
          shareOf: (key) => key,
          isMine: (share) => isMine(process, share),
          hasOwner: (share) => Effect.sync(() => hasOwner(share)),
          serve: (runners) =>
            Effect.acquireUseRelease(
              begin(process, runners),
              () => Effect.never,
              () => end(process)
            )
        }
      })
  }
}
