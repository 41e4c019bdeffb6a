/**
 * Parts of Effect beside those of this repository that do the same work: the figures of decision
 * 0013.
 *
 * Processor time of the main thread where a row says nothing else, because another program on the machine changes the clock and
 * not that. Each pair is first held to the same answers. Run it with
 *
 *   npm run bench:effect-parts
 */
import assert from "node:assert/strict"
import { createHash, createHmac, createSecretKey, randomBytes } from "node:crypto"
import { BlockList, isIP } from "node:net"
import {
  Arbitrary,
  Clock,
  Config,
  ConfigProvider,
  Context,
  Effect,
  Exit,
  Layer,
  Result,
  Schema,
  Scope
} from "effect"
import { Aead, Digest, Mac, SecureRandom } from "effect/crypto"
import { IpNetwork, NetAddress } from "effect/net"
import { CircuitBreaker, RateLimiter } from "effect/persistence"
import { SecretBox } from "../packages/core/src/ports/SecretBox.ts"
import { sealWith } from "../packages/core/src/services/webhooks/sealWith.ts"
import { makeRandom } from "../packages/engine/src/kernel/random.ts"
import { checkStrategy } from "../packages/engine/src/language/checkStrategy.ts"
import { StrategyDefinition } from "../packages/engine/src/language/StrategyDefinition.ts"
import { randomDefinition } from "../packages/engine/src/testing/randomStrategy.ts"
import { readSettings, settingRows } from "../packages/http/src/main/settings.ts"
import { integerBetween } from "../packages/http/src/main/settingKinds.ts"
import { RateLimits } from "../packages/http/src/server/RateLimits.ts"
import { makeEndpointGates } from "../packages/webhooks/src/endpointGates.ts"

const cpuMicros = (): number => {
  const { system, user } = process.threadCpuUsage()
  return system + user
}

type Work = (index: number) => Effect.Effect<unknown, unknown>

/** Processor time of the main thread for one call within a fibre, in microseconds. */
const cost = (count: number, work: Work): Promise<number> =>
  Effect.runPromise(
    Effect.gen(function* () {
      for (let index = 0; index < count / 10; index++) yield* work(index)
      const before = cpuMicros()
      for (let index = 0; index < count; index++) yield* work(index)
      return (cpuMicros() - before) / count
    })
  )

/** The same of plain code. */
const plainCost = (count: number, work: (index: number) => unknown): Promise<number> =>
  cost(count, (index) => Effect.sync(() => work(index)))

const print = (title: string, ours: number, effects: number, unit = "µs"): void =>
  console.log(
    `${title.padEnd(46)} ours ${ours.toFixed(2).padStart(9)} ${unit}` +
      `   effect ${effects.toFixed(2).padStart(9)} ${unit}`
  )

const services = await Effect.runPromise(
  Layer.buildWithScope(
    Layer.mergeAll(
      Digest.layerWebCrypto,
      Aead.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto)),
      Mac.layerWebCrypto.pipe(Layer.provideMerge(SecureRandom.layerWebCrypto)),
      RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)),
      CircuitBreaker.layerStoreMemory(),
      RateLimits.layer()
    ),
    Scope.makeUnsafe()
  )
)

/** The clock of this process, ahead by as much as has passed in the test. */
const shiftedClock = () => {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
    sleep: () => Effect.void
  }
  return { clock, pass: (ms: number) => void (aheadMs += ms) }
}

const digests = async (): Promise<void> => {
  const { digestHex } = Context.get(services, Digest.Digest)
  const key = new TextEncoder().encode("cw_live_" + "a".repeat(43))
  const ours = () => createHash("sha256").update(key).digest("hex")
  const effects = () => digestHex(Digest.sha256, key)
  assert.equal(ours(), await Effect.runPromise(effects()))
  print("digest of an API key", await plainCost(20_000, ours), await cost(20_000, effects))
}

const macs = async (): Promise<void> => {
  const { sign } = Context.get(services, Mac.Mac)
  const secret = randomBytes(32)
  const body = randomBytes(400)
  const ourKey = createSecretKey(secret)
  const theirKey = await Effect.runPromise(
    Effect.provideContext(Mac.key(Mac.hmacSha256, secret), services)
  )
  const ours = () => createHmac("sha256", ourKey).update(body).digest("hex")
  const effects = () => sign(theirKey, body)
  assert.equal(ours(), Buffer.from(await Effect.runPromise(effects())).toString("hex"))
  print("HMAC of a body of 400 bytes", await plainCost(20_000, ours), await cost(20_000, effects))
  const onNode = await Effect.runPromise(
    Effect.scoped(
      Layer.build(
        Mac.layerWebCryptoWith({
          hmac: (_, key, data) => createHmac("sha256", key).update(data).digest()
        }).pipe(Layer.provide(SecureRandom.layerWebCrypto))
      )
    )
  )
  const bridged = () => Context.get(onNode, Mac.Mac).sign(theirKey, body)
  assert.equal(ours(), Buffer.from(await Effect.runPromise(bridged())).toString("hex"))
  print(
    "the same, Effect over node:crypto",
    await plainCost(20_000, ours),
    await cost(20_000, bridged)
  )
}

const rates = async (): Promise<void> => {
  const limits = Context.get(services, RateLimits)
  const limiter = Context.get(services, RateLimiter.RateLimiter)
  const options = { limit: 100_000, window: "1 minute", algorithm: "token-bucket" } as const
  const ours = () => limits.take("reads", "one")
  const effects = () => Effect.exit(limiter.consume({ ...options, key: "one" }))
  assert.ok((await Effect.runPromise(ours())).isAdmitted)
  assert.ok(Exit.isSuccess(await Effect.runPromise(effects())))
  print("a request of one key counted", await cost(50_000, ours), await cost(50_000, effects))
  const clock = shiftedClock()
  const inMiB = (take: (who: string) => Effect.Effect<unknown, unknown>): number => {
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    for (let minute = 0; minute < 10; minute++) {
      for (let index = 0; index < 100_000; index++) {
        const taking = take(`10.${minute}.${index}`)
        Effect.runSync(Effect.provideService(taking, Clock.Clock, clock.clock))
      }
      clock.pass(120_000)
    }
    globalThis.gc?.()
    return (process.memoryUsage().heapUsed - before) / 2 ** 20
  }
  const theirs = inMiB((key) => limiter.consume({ ...options, key }))
  const kept = inMiB((who) => limits.take("anonymous", who))
  print("heap after ten times 100 000 addresses", kept, theirs, "MiB")
}

const breakers = async (): Promise<void> => {
  const store = Context.get(services, CircuitBreaker.CircuitBreakerStore)
  const endpoints = Array.from({ length: 1_000 }, (_, index) => `wh_${index}`)
  const gates = makeEndpointGates()
  const nowMs = Date.now()
  const breaker = await Effect.runPromise(
    Effect.provideContext(
      CircuitBreaker.make({
        tripPolicy: CircuitBreaker.consecutive(5),
        openDuration: "30 seconds"
      }),
      Context.merge(services, Context.make(Scope.Scope, Scope.makeUnsafe()))
    )
  )
  for (const id of endpoints) {
    for (let failure = 0; failure < 5; failure++) {
      gates.begin(id, null, nowMs)
      gates.end(id, "failed", nowMs)
      await Effect.runPromise(Effect.exit(breaker.execute(Effect.fail("down"), { key: id })))
    }
  }
  const ours = () => gates.allowances(nowMs)
  const effects = () => Effect.forEach(endpoints, store.state)
  assert.ok([...ours().values()].every((allowance) => allowance === 0))
  assert.ok((await Effect.runPromise(effects())).every(({ _tag }) => _tag === "Open"))
  print("allowances of 1 000 endpoints", await plainCost(2_000, ours), await cost(2_000, effects))
}

const networks = async (): Promise<void> => {
  const ranges = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
  const list = new BlockList()
  for (const range of ranges) {
    const [address = "", length] = range.split("/")
    list.addSubnet(address, Number(length), isIP(address) === 4 ? "ipv4" : "ipv6")
  }
  const theirs = ranges.map(IpNetwork.fromStringUnsafe)
  const address = (index: number) => `${index & 255}.${(index >> 8) & 255}.7.1`
  const ours = (index: number) => list.check(address(index), "ipv4")
  const effects = (index: number) => {
    const parsed = Result.getOrThrow(NetAddress.ipFromString(address(index)))
    return theirs.some((network) => IpNetwork.contains(network, parsed))
  }
  for (let index = 0; index < 65_536; index++) assert.equal(ours(index), effects(index))
  print(
    "an address looked up in five networks",
    await plainCost(50_000, ours),
    await plainCost(50_000, effects)
  )
}

const seals = async (): Promise<void> => {
  const bytes = new Uint8Array(randomBytes(32))
  const text = "whsec_" + "a".repeat(44)
  const box = Context.get(
    await Effect.runPromise(Effect.scoped(Layer.build(sealWith([bytes])))),
    SecretBox
  )
  const { decrypt, encrypt } = Context.get(services, Aead.Aead)
  const key = await Effect.runPromise(
    Effect.provideContext(Aead.key(Aead.aes256Gcm, bytes), services)
  )
  const ours = () => Effect.flatMap(box.seal(text), box.open)
  const effects = () => {
    const nonce = crypto.getRandomValues(new Uint8Array(12))
    return Effect.flatMap(encrypt(key, new TextEncoder().encode(text), { nonce }), (sealed) =>
      Effect.map(decrypt(key, sealed, { nonce }), (opened) => new TextDecoder().decode(opened))
    )
  }
  assert.equal(await Effect.runPromise(ours()), text)
  assert.equal(await Effect.runPromise(effects()), text)
  print("a secret sealed and opened", await cost(5_000, ours), await cost(5_000, effects))
}

/** Strategies without a fault among a thousand: by our generator, and by the schema's Arbitrary. */
const definitions = async (): Promise<void> => {
  const count = 1_000
  const soundOf = (drawn: ReadonlyArray<StrategyDefinition>): number =>
    drawn.filter((one) => checkStrategy(one).length === 0).length
  const ours = Array.from({ length: count }, (_, number) =>
    randomDefinition(makeRandom(`definition ${number}`).next)
  )
  const effects = await Effect.runPromise(
    Arbitrary.sampleEffect(Arbitrary.schema(StrategyDefinition), { count, seed: "definitions" })
  )
  print("strategies without a fault, of 1 000", soundOf(ours), soundOf(effects), "")
}

/** How many variables an error names where each one that is an integer is wrong. */
const settings = async (): Promise<void> => {
  const variables = settingRows
    .filter(({ kind }) => kind === "integer")
    .map(({ variable }) => variable)
  const environment = Object.fromEntries(variables.map((variable) => [variable, "many"]))
  const namedIn = (text: string): number =>
    variables.filter((variable) => text.includes(variable)).length
  const ours = Result.try(() => readSettings(environment))
  const fields = variables.map((variable) => [variable, integerBetween(0, 1)] as const)
  const provider = ConfigProvider.fromEnvRecord(environment)
  const errorOf = <A>(config: Config.Config<A>) =>
    Effect.runPromise(Effect.flip(config.parse(provider)))
  const all = await errorOf(
    Config.all(fields.map(([variable, schema]) => Config.schema(schema, variable)))
  )
  const struct = await errorOf(Config.schema(Schema.Struct(Object.fromEntries(fields))))
  const told = namedIn(String(Result.isFailure(ours) ? ours.failure : ""))
  print(`wrong variables named, of ${variables.length}: by all`, told, namedIn(String(all)), "")
  print("the same by a schema of all", told, namedIn(String(struct)), "")
}

const parts = [digests, macs, seals, rates, breakers, networks, definitions, settings]
for (const part of parts) await part()
