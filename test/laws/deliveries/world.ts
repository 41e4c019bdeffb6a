/**
 * Two processes that may be killed, receivers with given answers, and a clock that goes from one
 * due event to the next.
 */
import {
  DeliveryQueue,
  EndpointStore,
  EventPublisher,
  Ids,
  makeEvent,
  type StorePorts,
  toTimestamp,
  WebhookEndpoints
} from "@candlewick/core"
import type { Random } from "@candlewick/core/kernel"
import { testId } from "@candlewick/core/testing"
import { type AttemptOutcome, NotificationSender, Webhooks } from "@candlewick/webhooks"
import { verifyNotification } from "@candlewick/webhooks/verify"
import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ProcessLife, type KillAt, Watch, watched } from "./watchStore.ts"

/** Longer than the end of a process waits for the requests that are under way. */
const timeoutMs = 30_000

/** How a receiver answers. */
export const answers = ["ok", "ok", "broken", "busy", "slow", "gone", "abort", "refused"] as const
export type Answer = (typeof answers)[number]

const answered = (status: number, more: Partial<AttemptOutcome> = {}) =>
  ({
    _tag: "Answered",
    status,
    durationMs: 5,
    responseBytes: 0,
    responseText: null,
    retryAfter: null,
    receiverRequest: null,
    ...more
  }) as AttemptOutcome

const outcomeOf = (answer: Answer): Effect.Effect<AttemptOutcome> => {
  switch (answer) {
    case "ok":
      return Effect.succeed(answered(204))
    case "broken":
      return Effect.succeed(answered(500))
    case "busy":
      return Effect.succeed(answered(429, { retryAfter: "40" }))
    case "slow":
      return Effect.delay(unanswered("timeout"), timeoutMs)
    case "gone":
      return Effect.succeed(answered(410))
    case "abort":
      return Effect.succeed(answered(400, { receiverRequest: "abort-message" }))
    case "refused":
      return unanswered("connect_refused")
  }
}

const unanswered = (error: "timeout" | "connect_refused"): Effect.Effect<AttemptOutcome> =>
  Effect.succeed({ _tag: "Unanswered", error, status: null, durationMs: 5 })

/** An endpoint as its owner knows it. */
export interface KnownEndpoint {
  readonly id: string
  readonly url: string
  secret: string
  answer: Answer
}

interface Process {
  readonly life: ProcessLife
  readonly scope: Scope.Closeable
  readonly webhooks: WebhookEndpoints["Service"]
  readonly publisher: EventPublisher["Service"]
  readonly ids: Ids["Service"]
}

const accountId = testId("account")

/** Everything of one run. */
export class World {
  readonly watch: Watch
  readonly endpoints: Array<KnownEndpoint> = []
  /** Every post: whose, which attempt, and whether it was accepted by a process that lived on. */
  readonly posts = new Map<string, { readonly life: ProcessLife; isAccepted: boolean }>()
  /** The body of each delivery: the same bytes in every attempt. */
  readonly bodies = new Map<string, string>()
  readonly underWay = new Map<string, ProcessLife>()
  /** The events that were published as far as their publishers know. */
  readonly published = new Set<string>()
  processes: ReadonlyArray<Process> = []
  readonly stores: Context.Context<StorePorts>
  readonly random: Random

  constructor(stores: Context.Context<StorePorts>, random: Random, rows: Set<string>) {
    this.watch = new Watch(rows)
    this.stores = stores
    this.random = random
  }

  /** The endpoints as they are, past those who are killed. */
  get endpointStore(): EndpointStore["Service"] {
    return Context.get(this.stores, EndpointStore)
  }

  /** The queue as it is, past those who are killed. */
  get queue(): DeliveryQueue["Service"] {
    return Context.get(this.stores, DeliveryQueue)
  }

  /** A receiver: one request of a delivery at a time, each attempt once, and signed. */
  private readonly sender = (life: ProcessLife): NotificationSender["Service"] => ({
    post: ({ body, headers, url }) =>
      Effect.gen({ self: this }, function* () {
        if (life.isDead) return yield* Effect.never
        const endpoint = this.endpoints.find((one) => one.url === url)!
        const delivery = `${endpoint.id} ${headers["webhook-id"]}`
        const attempt = `${delivery} ${headers["x-service-attempt"]}`
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* this.watch.noting(
          Effect.sync(() => {
            const other = this.underWay.get(delivery)
            assert.isTrue(other === undefined || other.isDead, `${delivery} is sent twice at once`)
            assert.isFalse(this.posts.has(attempt), `${attempt} was made twice`)
            const text = new TextDecoder().decode(body)
            assert.strictEqual(this.bodies.get(delivery) ?? text, text)
            this.bodies.set(delivery, text)
            verifyNotification({ secret: endpoint.secret, headers, rawBody: body, now })
          })
        )
        const post = { life, isAccepted: false }
        this.posts.set(attempt, post)
        this.underWay.set(delivery, life)
        const { answer } = endpoint
        const outcome = yield* Effect.ensuring(
          outcomeOf(answer),
          Effect.sync(() => this.underWay.delete(delivery))
        )
        post.isAccepted = answer === "ok"
        return life.isDead ? yield* Effect.never : outcome
      })
  })

  /** Starts a process over the stores. */
  readonly start = Effect.gen({ self: this }, function* () {
    const life = new ProcessLife()
    const scope = yield* Scope.make()
    const webhooks = Webhooks.layerWithSender({
      allowCidrs: ["10.0.0.0/8"],
      retentionDays: 4,
      timeoutMs
    }).pipe(Layer.provide(Layer.succeed(NotificationSender, this.sender(life))))
    const services = yield* WebhookEndpoints.layer.pipe(
      Layer.provideMerge(webhooks),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(watched(this.watch, life)),
      Layer.buildWithScope(scope),
      Effect.provideContext(this.stores)
    )
    const made = {
      life,
      scope,
      webhooks: Context.get(services, WebhookEndpoints),
      publisher: Context.get(services, EventPublisher),
      ids: Context.get(services, Ids)
    }
    this.processes = [...this.processes, made]
    return made
  })

  /** The living ones; a killed one is replaced. */
  readonly living = Effect.gen({ self: this }, function* () {
    const alive = this.processes.filter(({ life }) => !life.isDead)
    return alive.length > 0 ? alive : [yield* this.start]
  })

  /** Any process that lives. */
  readonly anyProcess = Effect.map(this.living, (alive) => this.random.pick(alive))

  /** Has a process end in the middle of a write. */
  readonly kill = (killAt: KillAt) =>
    Effect.map(this.anyProcess, ({ life }) => {
      life.killAt = killAt
    })

  /** Has a process end as it is told to. */
  readonly stop = Effect.gen({ self: this }, function* () {
    const process = yield* this.anyProcess
    const closing = yield* Effect.forkChild(Scope.close(process.scope, Exit.void))
    yield* this.pass(20_000)
    // A database answers by no clock of the test, and may not have answered by now.
    for (let count = 0; count < 20 && closing.pollUnsafe() === undefined; count++) {
      yield* TestClock.withLive(Effect.timeoutOption(Fiber.await(closing), "50 millis"))
      yield* this.pass(1_000)
    }
    if (closing.pollUnsafe() === undefined) {
      // The end of the test waits for it.
      yield* TestClock.adjust("10 minutes")
      throw new Error("a process does not stop")
    }
    process.life.isDead = true
  })

  /** Waits until no process does anything at this time of the clock. */
  readonly settle = Effect.gen({ self: this }, function* () {
    let quiet = 0
    while (quiet < 4) {
      const { writeCount } = this.watch
      yield* macrotask
      quiet = this.watch.underWay === 0 && this.watch.writeCount === writeCount ? quiet + 1 : 0
    }
    const [fault] = this.watch.faults
    if (fault !== undefined) throw fault
  })

  /** Lets time pass, by steps in which little may happen at once. */
  pass(ms: number): Effect.Effect<void, unknown> {
    return Effect.gen({ self: this }, function* () {
      let leftMs = ms
      while (leftMs > 0) {
        const dueInMs = Option.getOrElse(yield* this.queue.nextDueInMs, () => leftMs)
        const isBusy = dueInMs <= 0 || [...this.underWay.values()].some(({ isDead }) => !isDead)
        const stepMs = Math.min(leftMs, isBusy ? 5_000 : dueInMs)
        yield* TestClock.adjust(stepMs)
        yield* this.settle
        leftMs -= stepMs
      }
    })
  }

  /** Registers an endpoint with an address of its own. */
  readonly register = Effect.gen({ self: this }, function* () {
    const { webhooks } = yield* this.anyProcess
    const url = `https://10.0.0.${this.endpoints.length + 1}/hook`
    const payload = this.random.pick(["plain", "extended"] as const)
    const events = ["trade.executed"] as const
    const max_concurrency = this.random.pick([2, 4])
    const rate_per_second = this.random.pick([null, 1])
    const made = yield* webhooks.register(accountId, {
      url,
      events,
      payload,
      max_concurrency,
      rate_per_second
    })
    this.endpoints.push({ id: made.id, url, secret: made.secret, answer: "ok" })
    this.watch.webhookIds.push(made.id)
  })

  /** Publishes an event, and notes it once that has succeeded. */
  readonly publish = Effect.gen({ self: this }, function* () {
    const { ids, publisher } = yield* this.anyProcess
    const timestamp = toTimestamp(yield* Clock.currentTimeMillis)
    const id = yield* ids.make("event")
    const head = { id, account_id: accountId, event: "trade.executed", timestamp } as const
    yield* publisher.publish(makeEvent(head, { trade_id: id }))
    this.published.add(id)
  })

  readonly accountId = accountId
}

const macrotask = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
