/**
 * Bugs that the simulation has to find: each changes lines of the product as they are loaded into a
 * thread of its own, and nowhere else.
 */
import { registerHooks } from "node:module"

/** A line of a file, and what stands there instead. */
interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The bugs by their names. */
export const plants: Readonly<Record<string, ReadonlyArray<Edit>>> = {
  "no cursor check": [
    {
      file: "core/src/services/bots/stepBot.ts",
      from: "if (session.cursor !== null && update.time <= session.cursor) return []",
      to: ""
    },
    {
      file: "core/src/services/bots/botRunner.ts",
      from: 'return run.session.cursor === cursor ? "going" : "moved"',
      to: 'return "going"'
    }
  ],
  "clocks of processes": [
    {
      file: "test/simulation/faultyStore.ts",
      from: "Context.Context<never> => server.context",
      to: "Context.Context<never> => Context.add(server.context, Clock, Context.get(_asking.context, Clock))"
    },
    {
      file: "test/simulation/faultyStore.ts",
      from: "import { Context,",
      to: 'import { Clock } from "effect/Clock"; import { Context,'
    }
  ]
}

/** Plants a bug in all modules that this thread loads from now on. */
export const plant = (name: string): void => {
  const edits = plants[name]
  if (edits === undefined) throw new RangeError(`there is no bug "${name}" to plant`)
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const own = edits.filter(({ file }) => url.endsWith(file))
      if (own.length === 0) return loaded
      let source = Buffer.from(loaded.source as Uint8Array).toString()
      for (const { file, from, to } of own) {
        if (!source.includes(from)) throw new Error(`${file} has changed: it lacks "${from}"`)
        source = source.replace(from, () => to)
      }
      return { ...loaded, source }
    }
  })
}
