import { Problem, StoreError, StoreUnavailable } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { authenticate, checkScopes } from "../../src/server/authorise.ts"
import { CurrentRequest, type RequestFacts } from "../../src/server/CurrentRequest.ts"

const caller = { accountId: "acc_1", keyId: "key_1", scopes: ["bots:read", "bots:write"] } as const

const emptyFacts = (): RequestFacts => ({
  ...Context.get(Context.empty(), CurrentRequest),
  address: "192.0.2.1",
  answerHeaders: {}
})

/** A key check with this answer, under quotas that admit so many wrong keys of an address. */
const gate = (answer: Effect.Effect<typeof caller, Problem | StoreError>, wrongKeysMax = 9) => {
  const asked: Array<string> = []
  const taken: Array<string> = []
  const services = {
    accounts: {
      authenticate: (token: string) =>
        Effect.andThen(
          Effect.sync(() => asked.push(token)),
          answer
        )
    },
    limits: {
      take: (policy: string, address: string) =>
        Effect.sync(() => {
          taken.push(`${policy} ${address}`)
          const isAdmitted = taken.length <= wrongKeysMax
          const retryAfterSeconds = isAdmitted ? 0 : 7
          return { isAdmitted, retryAfterSeconds, headers: { ratelimit: `${taken.length}` } }
        })
    }
  }
  return { asked, services, taken }
}

describe("the scopes of a key", () => {
  it.effect("are enough where the key has each of those that are required", () =>
    Effect.gen(function* () {
      yield* checkScopes(caller, [])
      yield* checkScopes(caller, ["bots:read"])
      yield* checkScopes(caller, ["bots:write", "bots:read"])
    })
  )

  it.effect("are refused with the missing ones named and all required ones listed", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(
        checkScopes(caller, ["bots:read", "keys:manage", "webhooks:read"])
      )
      assert.strictEqual(refused.code, "insufficient_scope")
      assert.strictEqual(refused.detail, "The key lacks keys:manage, webhooks:read.")
      assert.deepStrictEqual(refused.required_scopes, ["bots:read", "keys:manage", "webhooks:read"])
    })
  )
})

describe("a key", () => {
  it.effect("that is good names its account, and costs its address nothing", () =>
    Effect.gen(function* () {
      const { asked, services, taken } = gate(Effect.succeed(caller))
      const facts = emptyFacts()
      assert.deepStrictEqual(yield* authenticate(services, "cw_live_1", facts), caller)
      assert.deepStrictEqual(asked, ["cw_live_1"])
      assert.deepStrictEqual([facts.accountId, facts.keyId], ["acc_1", "key_1"])
      assert.deepStrictEqual(taken, [])
    })
  )

  it.effect("that is missing is refused without a look at the accounts", () =>
    Effect.gen(function* () {
      const { asked, services, taken } = gate(Effect.succeed(caller))
      const facts = emptyFacts()
      const refused = yield* Effect.flip(authenticate(services, "", facts))
      assert.instanceOf(refused, Problem)
      assert.strictEqual(refused.code, "unauthenticated")
      assert.include(refused.detail, "Authorization: Bearer")
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(taken, ["anonymous 192.0.2.1"])
      assert.isUndefined(facts.accountId)
    })
  )

  for (const code of ["unauthenticated", "key_expired"] as const) {
    it.effect(`that is refused as ${code} takes from the quota of its address`, () =>
      Effect.gen(function* () {
        const { services, taken } = gate(Effect.fail(new Problem({ code, detail: "no" })), 2)
        const facts = emptyFacts()
        for (const count of ["1", "2"]) {
          const refused = yield* Effect.flip(authenticate(services, "wrong", facts))
          assert.propertyVal(refused, "code", code)
          assert.strictEqual(facts.answerHeaders["ratelimit"], count)
        }
        const limited = yield* Effect.flip(authenticate(services, "wrong", facts))
        assert.propertyVal(limited, "code", "rate_limited")
        assert.propertyVal(limited, "retry_after_seconds", 7)
        assert.lengthOf(taken, 3)
      })
    )
  }

  it.effect("that can't be looked up, or lacks a right, costs its address nothing", () =>
    Effect.gen(function* () {
      const away = new StoreError({ reason: new StoreUnavailable({ cause: "away" }) })
      const denied = new Problem({ code: "rate_limited", detail: "no" })
      for (const failure of [away, denied]) {
        const { services, taken } = gate(Effect.fail(failure))
        assert.strictEqual(
          yield* Effect.flip(authenticate(services, "some", emptyFacts())),
          failure
        )
        assert.deepStrictEqual(taken, [])
      }
    })
  )
})
