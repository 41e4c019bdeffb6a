import { Accounts, AccountStore, Ids, Limits, ownerScopes } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { itIs2026, nowMs, refusal, refusalCode } from "./setting.ts"

const App = Accounts.layer.pipe(
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(MemoryStore.layer)
)

const page = { limit: 100 }
const preset = "an operator's own admin key, 37 chars"

describe("Accounts", () => {
  it.effect("knows the caller by a key that was issued", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const accounts = yield* Accounts
      const { account, key, secret } = yield* accounts.create("Desk")
      assert.match(secret, /^cw_live_[0-9A-Za-z]{61}$/)
      assert.deepStrictEqual(yield* accounts.authenticate(secret), {
        accountId: account.id,
        keyId: key.id,
        scopes: ownerScopes
      })
      assert.strictEqual((yield* accounts.get(account.id)).name, "Desk")
    }).pipe(Effect.provide(App))
  )

  it.effect("keeps no secret: only a hash, and shows neither hash nor look-up", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { account, key, secret } = yield* accounts.create("Desk")
      const store = yield* AccountStore
      const kept = JSON.stringify(yield* store.listKeys(account.id, page))
      assert.isFalse(kept.includes(secret.slice(20, 63)))
      assert.doesNotHaveAnyKeys(key, ["secret_hash", "lookup", "account_id"])
      const shown = yield* accounts.listKeys(account.id, page)
      assert.doesNotHaveAnyKeys(shown.items[0]!, ["secret_hash", "lookup", "account_id"])
    }).pipe(Effect.provide(App))
  )

  it.effect(
    "refuses with one and the same answer what is mistyped, unknown, forged or no key",
    () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { secret } = yield* accounts.create("Desk")
        const other = (yield* accounts.create("Other")).secret
        // The look-up of one key with the secret of another, with check characters that fit
        // neither.
        const forged = secret.slice(0, 20) + other.slice(20)
        const wrong = secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a")
        for (const token of ["", "short", wrong, forged, preset]) {
          const error = yield* refusal(accounts.authenticate(token))
          assert.strictEqual(error.code, "unauthenticated")
          assert.strictEqual(error.detail, "A valid API key is required.")
        }
      }).pipe(Effect.provide(App))
  )

  it.effect("refuses a revoked key, and stays so when it is revoked again", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const accounts = yield* Accounts
      const { account, key, secret } = yield* accounts.create("Desk")
      const revoked = yield* accounts.revokeKey(account.id, key.id)
      assert.strictEqual(revoked.revoked_at, "2026-01-15T09:30:12.345Z")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* accounts.revokeKey(account.id, key.id), revoked)
      assert.strictEqual(yield* refusalCode(accounts.authenticate(secret)), "unauthenticated")
    }).pipe(Effect.provide(App))
  )

  it.effect("says that a key has expired only to who holds it", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const accounts = yield* Accounts
      const caller = yield* accounts.authenticate((yield* accounts.create("Desk")).secret)
      const { secret } = yield* accounts.issueKey(
        caller.accountId,
        {
          name: "brief",
          expires_at: "2026-01-16T00:00:00Z"
        },
        caller.scopes
      )
      yield* accounts.authenticate(secret)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* refusalCode(accounts.authenticate(secret)), "key_expired")
    }).pipe(Effect.provide(App))
  )

  it.effect("lets a key live a year unless the caller says how long, or for ever", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const accounts = yield* Accounts
      const caller = yield* accounts.authenticate((yield* accounts.create("Desk")).secret)
      const year = yield* accounts.issueKey(caller.accountId, { name: "a" }, caller.scopes)
      assert.strictEqual(year.key.expires_at, "2027-01-15T09:30:12.345Z")
      const forever = yield* accounts.issueKey(
        caller.accountId,
        { name: "b", expires_at: null },
        caller.scopes
      )
      assert.isNull(forever.key.expires_at)
      for (const expires_at of ["2026-01-15T09:30:12.345Z", "2026-13-45T00:00:00Z"]) {
        const error = yield* refusal(
          accounts.issueKey(caller.accountId, { name: "c", expires_at }, caller.scopes)
        )
        assert.strictEqual(error.code, "unprocessable")
        assert.strictEqual(error.errors?.[0]?.pointer, "/expires_at")
      }
    }).pipe(Effect.provide(App))
  )

  it.effect("passes on no scope that the caller lacks", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const admin = yield* accounts.authenticate((yield* accounts.create("Desk")).secret)
      const reader = yield* accounts.issueKey(
        admin.accountId,
        {
          name: "reader",
          scopes: ["bots:read", "keys:manage"],
          environment: "test"
        },
        admin.scopes
      )
      assert.match(reader.secret, /^cw_test_/)
      const caller = yield* accounts.authenticate(reader.secret)
      const error = yield* refusal(
        accounts.issueKey(
          caller.accountId,
          { name: "more", scopes: ["bots:read", "bots:execute"] },
          caller.scopes
        )
      )
      assert.strictEqual(error.code, "insufficient_scope")
      assert.deepStrictEqual(error.required_scopes, ["bots:execute"])
      const same = yield* accounts.issueKey(caller.accountId, { name: "same" }, caller.scopes)
      assert.deepStrictEqual(same.key.scopes, ["bots:read", "keys:manage"])
    }).pipe(Effect.provide(App))
  )

  it.effect("notes the use of a key to the minute", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const accounts = yield* Accounts
      const { account, key, secret } = yield* accounts.create("Desk")
      assert.isNull(key.last_used_at)
      const lastUsed = Effect.map(
        accounts.listKeys(account.id, page),
        ({ items }) => items[0]!.last_used_at
      )
      yield* accounts.authenticate(secret)
      assert.strictEqual(yield* lastUsed, "2026-01-15T09:30:00.000Z")
      yield* TestClock.setTime(nowMs + 120_000)
      yield* accounts.authenticate(secret)
      assert.strictEqual(yield* lastUsed, "2026-01-15T09:32:00.000Z")
    }).pipe(Effect.provide(App))
  )

  it.effect("shows an account its own keys only", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const mine = yield* accounts.create("Mine")
      const theirs = yield* accounts.create("Theirs")
      const listed = yield* accounts.listKeys(mine.account.id, page)
      assert.deepStrictEqual(
        listed.items.map(({ id }) => id),
        [mine.key.id]
      )
      assert.strictEqual(
        yield* refusalCode(accounts.revokeKey(mine.account.id, theirs.key.id)),
        "not_found"
      )
      yield* accounts.authenticate(theirs.secret)
    }).pipe(Effect.provide(App))
  )

  it.effect("lists keys by name, by environment, and those that are revoked", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { account, key } = yield* accounts.create("Mine")
      const issue = (name: string, environment: "live" | "test") =>
        accounts.issueKey(account.id, { name, environment }, key.scopes)
      const robot = (yield* issue("Robot", "test")).key
      const other = (yield* issue("Other robot", "live")).key
      yield* accounts.revokeKey(account.id, other.id)
      const idsOf = (filter: Partial<Parameters<typeof accounts.listKeys>[1]>) =>
        Effect.map(accounts.listKeys(account.id, { ...page, ...filter }), ({ items }) =>
          items.map(({ id }) => id)
        )
      assert.deepStrictEqual(yield* idsOf({ name: "ROBOT" }), [other.id, robot.id])
      assert.deepStrictEqual(yield* idsOf({ environment: "test" }), [robot.id])
      assert.deepStrictEqual(yield* idsOf({ is_revoked: true }), [other.id])
      assert.deepStrictEqual(yield* idsOf({ is_revoked: false }), [robot.id, key.id])
      assert.deepStrictEqual(yield* idsOf({ name: "robot", is_revoked: false }), [robot.id])
    }).pipe(Effect.provide(App))
  )

  it.effect("counts the keys that are good against the limit", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const caller = yield* accounts.authenticate((yield* accounts.create("Desk")).secret)
      let last = ""
      for (let count = 1; count < Limits.keysPerAccountMax; count++) {
        last = (yield* accounts.issueKey(caller.accountId, { name: `key ${count}` }, caller.scopes))
          .key.id
      }
      const oneMore = accounts.issueKey(caller.accountId, { name: "one more" }, caller.scopes)
      assert.strictEqual(yield* refusalCode(oneMore), "quota_exceeded")
      yield* accounts.revokeKey(caller.accountId, last)
      yield* oneMore
    }).pipe(Effect.provide(App))
  )
})

describe("Accounts.ensureAdmin", () => {
  it.effect("makes a key on the first start and shows it once", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const first = yield* accounts.ensureAdmin()
      const second = yield* accounts.ensureAdmin()
      assert.strictEqual(second.accountId, first.accountId)
      assert.isNull(second.secret)
      const caller = yield* accounts.authenticate(first.secret!)
      assert.strictEqual(caller.accountId, first.accountId)
      assert.deepStrictEqual(caller.scopes, ownerScopes)
    }).pipe(Effect.provide(App))
  )

  it.effect("makes another where no key is left that may do everything", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const first = yield* accounts.ensureAdmin()
      const caller = yield* accounts.authenticate(first.secret!)
      yield* accounts.revokeKey(caller.accountId, caller.keyId)
      const second = yield* accounts.ensureAdmin()
      assert.strictEqual(second.accountId, first.accountId)
      yield* accounts.authenticate(second.secret!)
    }).pipe(Effect.provide(App))
  )

  it.effect("takes any text of 32 characters as the admin key", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      for (const text of [preset, "0".repeat(32), `cw_live_${"x".repeat(61)}`, "ключ ".repeat(8)]) {
        const { accountId, secret } = yield* accounts.ensureAdmin(text)
        assert.isNull(secret)
        assert.strictEqual((yield* accounts.authenticate(text)).accountId, accountId)
      }
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses a preset that is too short", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const short = accounts.ensureAdmin("x".repeat(31))
      assert.strictEqual(yield* refusalCode(short), "validation_failed")
    }).pipe(Effect.provide(App))
  )

  it.effect("replaces the preset key by a changed one, and takes the first one back", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { secret } = yield* accounts.ensureAdmin()
      const first = yield* accounts.ensureAdmin(preset)
      yield* accounts.ensureAdmin(preset)
      const second = yield* accounts.ensureAdmin(preset.toUpperCase())
      assert.strictEqual(second.accountId, first.accountId)
      assert.strictEqual(yield* refusalCode(accounts.authenticate(preset)), "unauthenticated")
      yield* accounts.authenticate(preset.toUpperCase())
      yield* accounts.ensureAdmin(preset)
      yield* accounts.authenticate(preset)
      const gone = accounts.authenticate(preset.toUpperCase())
      assert.strictEqual(yield* refusalCode(gone), "unauthenticated")
      // The issued key is none of the preset's business.
      yield* accounts.authenticate(secret!)
    }).pipe(Effect.provide(App))
  )

  it.effect("makes one account however many start at once", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const admins = yield* Effect.all([accounts.ensureAdmin(), accounts.ensureAdmin(preset)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(admins[0].accountId, admins[1].accountId)
      assert.lengthOf(yield* (yield* AccountStore).listAll, 1)
    }).pipe(Effect.provide(App))
  )
})
