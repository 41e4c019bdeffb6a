/**
 * Bugs that the simulation has to find. Each changes lines of the product as they are loaded into a
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
  ],
  "send in the transaction": [
    {
      file: "venues/agent/sendAttempts.ts",
      from: 'return yield* moveAttempt(agent, attempt, "sent", sent)',
      to: `const moved = yield* moveAttempt(agent, attempt, "sent", sent)
  if (moved !== null) outcomes.set(moved.id, yield* submit(agent, moved))
  return moved`
    },
    {
      file: "venues/agent/sendAttempts.ts",
      from: "const outcome = yield* submit(agent, sent)",
      to: "const outcome = outcomes.get(sent.id)!"
    },
    {
      file: "venues/agent/sendAttempts.ts",
      from: "/** Writes that the request of an attempt is about to leave. */",
      to: "const outcomes = new Map<string, Result.Result<void, VenueError>>()"
    }
  ],
  "no alert on a missing stop": [
    {
      file: "venues/books/auditProtection.ts",
      from: "const isOverdue = ",
      to: "const isOverdue = false && "
    }
  ],
  "enter beside an entry that fills": [
    {
      file: "venues/agent/judgeAttempt.ts",
      from: "if (after !== null) return after",
      to: ""
    }
  ],
  "spend the money of others": [
    {
      file: "venues/agent/payableEntry.ts",
      from: "  const money = moneyFor(decided, account)",
      to: "  const money = Infinity"
    }
  ],
  "no bound on exposure": [
    {
      file: "venues/agent/accountBounds.ts",
      from: "exposureMax !== undefined && exposure + notional >",
      to: "exposureMax === null && exposure + notional >"
    }
  ],
  "no bounds on losses": [
    {
      file: "venues/agent/accountBounds.ts",
      from: "past.peak - equity >= drawdownMax * past.peak",
      to: "past.peak < 0"
    },
    {
      file: "venues/agent/accountBounds.ts",
      from: "lost >= dailyLossMax * past.day_start",
      to: "lost === Infinity"
    }
  ],
  "enter by an old candle": [
    {
      file: "bots/stepBot.ts",
      from: "const isOld = isStale(",
      to: "const isOld = false && isStale("
    }
  ],
  "enter though coins are missing": [
    {
      file: "bots/reconcileBot.ts",
      from: "  haltForMismatch(gate)\n",
      to: ""
    },
    {
      file: "bots/reconcileBot.ts",
      from: "  endMismatch(gate, mismatch.gateBefore.reason)\n",
      to: ""
    }
  ],
  "leave the others of a group": [
    {
      file: "bots/takeBackOthers.ts",
      from: "yield* cancelAtVenue(ports, bot, session, market, id)",
      to: ""
    }
  ],
  "resend at once": [
    {
      file: "venues/agent/agentState.ts",
      from: 'const patience = "5 seconds"',
      to: 'const patience = "1 second"'
    },
    {
      file: "venues/agent/timeFence.ts",
      from: 'if (askedAtMs <= fenceOf(attempt.sent_at_ms ?? askedAtMs, windows)) return "too_early"',
      to: ""
    },
    {
      file: "venues/agent/timeFence.ts",
      from: 'if (attempt.miss_count === 0 || lastMissAtMs === null) return "first"',
      to: ""
    },
    {
      file: "venues/agent/timeFence.ts",
      from: 'if (askedAtMs - lastMissAtMs < missesApartMs) return "too_soon"',
      to: ""
    }
  ],
  "book by order sums": [
    {
      file: "venues/agent/resolveAttempts.ts",
      from: "if (BigDecimal.isLessThan(has!, told!)) return false",
      to: `if (BigDecimal.isLessThan(has!, told!)) {
        const booked = { ...kept, filled_quantity: filledQuantity }
        const sums = yield* agent.ports.venueAccounts.putAttempt(booked)
        yield* endOrderAttempt(agent, sums, { on: "ended", outcome: outcomes[status], why: "sums" })
        return true
      }`
    }
  ],
  "no overlap after a reconnect": [
    {
      file: "venues/agent/pollTrades.ts",
      from: "  let count = 0\n",
      to: `  let count = 0
  if (!begun.has(agent)) {
    begun.add(agent)
    let newest = Option.getOrNull(yield* ports.venueAccounts.get(key))?.cursor ?? null
    for (let isMore = true; isMore;) {
      const page = yield* questionOf(venue.trades(newest))
      newest = page.cursor
      isMore = page.hasMore
    }
    yield* asOwner(agent, (account) => ports.venueAccounts.put({ ...account, cursor: newest }))
  }
`
    },
    {
      file: "venues/agent/pollTrades.ts",
      from: "/** Reads the trades to their end, keeps",
      to: "const begun = new WeakSet<AgentState>()\n/** Reads the trades to their end, keeps"
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
