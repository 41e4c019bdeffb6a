/**
 * The server without a port: the same operations, answered in this process.
 *
 * A program that works on a data directory for a moment calls the API through it as it would call a
 * server. Runs are carried out here. Bots are not: a command to one is kept, and the next server on
 * the store carries it out.
 *
 * @since 0.1.0
 */
import {
  Accounts,
  AccountStore,
  BotPlacement,
  makeEncryptionKey,
  operatorAccountId,
  scopes,
  toTimestamp
} from "@candlewick/core"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Clock, Context, Data, Effect, Layer, Option, type Scope } from "effect"
import { HttpRouter } from "effect/http"
import * as HttpApp from "../server/HttpApp.ts"
import { routerConfig } from "../server/knownPaths.ts"
import { faultText } from "./faultText.ts"
import { keepSampleMarkets, loadSamples } from "./samples.ts"
import { servicesOf } from "./services.ts"
import type { ServerSettings } from "./settings.ts"

/** A server in this process. @category models @since 0.1.0 */
export interface EmbeddedApi {
  /** Answers requests to `baseUrl`; nothing leaves the process. */
  readonly fetch: typeof globalThis.fetch
  readonly baseUrl: string
  /** A key of the operator's account that is good as long as this lasts, and is not kept. */
  readonly apiKey: string
  readonly accounts: Accounts["Service"]
  readonly accountStore: AccountStore["Service"]
}

/** A store can't be opened; the message says why. @category errors @since 0.1.0 */
export class StoreNotOpened extends Data.TaggedError("StoreNotOpened")<{
  readonly message: string
}> {}

/** A process that runs no bot: it could begin a run of a bot, but not go on with it. */
const noPlacement: Layer.Layer<BotPlacement> = Layer.succeed(BotPlacement, {
  shareOf: () => "all",
  isMine: () => false,
  hasOwner: () => Effect.succeed(false),
  takeLoss: () => null,
  serve: () => Effect.never
})

/**
 * Adds the operator's account where it is missing, without a key: the first start of a server makes
 * one, and shows it.
 */
const ensureAccount = Effect.fnUntraced(function* (store: AccountStore["Service"]) {
  if (Option.isSome(yield* store.get(operatorAccountId))) return
  const now = toTimestamp(yield* Clock.currentTimeMillis)
  yield* store.insert({
    id: operatorAccountId,
    name: "Admin",
    is_halted: false,
    halted_reason: null,
    version: 1,
    created_at: now,
    updated_at: now
  })
})

const withCaller = (accounts: Accounts["Service"], apiKey: string): Accounts["Service"] =>
  Accounts.of({
    ...accounts,
    authenticate: (token) =>
      token === apiKey
        ? Effect.succeed({ accountId: operatorAccountId, keyId: "key_embedded", scopes })
        : accounts.authenticate(token)
  })

const unlimited = 1_000_000_000

/** How an embedded server begins. @category models @since 0.1.0 */
export interface EmbeddedOptions {
  /** Whether sample candles are imported where there are none; they are without this option. */
  readonly hasSampleCandles?: boolean
}

const open = Effect.fnUntraced(function* (settings: ServerSettings, hasSampleCandles: boolean) {
  const services = yield* Layer.build(servicesOf(settings, { placement: noPlacement }))
  if (hasSampleCandles) yield* Effect.provideContext(loadSamples, services)
  else yield* Effect.provideContext(keepSampleMarkets, services)
  const accounts = Context.get(services, Accounts)
  const accountStore = Context.get(services, AccountStore)
  yield* ensureAccount(accountStore)
  const apiKey = yield* makeEncryptionKey
  const app = HttpApp.layer({
    rates: { reads: unlimited, writes: unlimited, runs: unlimited, anonymous: unlimited },
    accessLog: { write: () => undefined }
  }).pipe(
    Layer.provide(
      Layer.succeedContext(Context.add(services, Accounts, withCaller(accounts, apiKey)))
    ),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
  const { dispose, handler } = HttpRouter.toWebHandler(app, { disableLogger: true, routerConfig })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const opened: EmbeddedApi = {
    fetch: (input, init) => handler(new Request(input, init)),
    baseUrl: "http://embedded.invalid",
    apiKey,
    accounts,
    accountStore
  }
  return opened
})

/**
 * Opens the store and the services of the settings until the scope ends. Adds sample candles where
 * there are none, unless the options leave them out.
 *
 * @category constructors
 * @since 0.1.0
 */
export const openEmbedded = (
  settings: ServerSettings,
  { hasSampleCandles = true }: EmbeddedOptions = {}
): Effect.Effect<EmbeddedApi, StoreNotOpened, Scope.Scope> =>
  Effect.catchCause(open(settings, hasSampleCandles), (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.fail(new StoreNotOpened({ message: faultText(cause, settings) }))
  )
