/**
 * `candlewick webhooks`: endpoints, their deliveries, and events as they happen.
 *
 * @since 0.1.0
 */
import { ReplayRequest } from "@candlewick/core/domain"
import { verifyNotification } from "@candlewick/webhooks/verify"
import { Clock, Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { readFileSync } from "node:fs"
import { withApi } from "../terminal/Connections.ts"
import { refused, wrongUse } from "../terminal/failures.ts"
import { pairs, say, show, showOne, table } from "../terminal/output.ts"
import { pathOf } from "./paths.ts"
import {
  file,
  idArgument,
  limitFlag,
  splitList,
  moment,
  request,
  textFlag,
  textOf
} from "./options.ts"

const list = Command.make("list", { limit: limitFlag }, (given) =>
  withApi(({ client }) =>
    Effect.flatMap(client.webhooks.list({ query: { limit: given.limit } }), (page) =>
      show(page, ({ data }) =>
        table(
          ["id", "url", "status", "events"],
          data.map((one) => [one.id, one.url, one.status, one.events.join(",")])
        )
      )
    )
  )
).pipe(Command.withDescription("List webhook endpoints, newest first"))

interface Told {
  readonly event: string
  readonly data: string
}

const fieldOf = (block: string, name: string): string =>
  block
    .split("\n")
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trimStart())
    .join("\n")

/** The events of a stream of server-sent events. */
const toldIn = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Told, E, R> => {
  let rest = ""
  return bytes.pipe(
    Stream.decodeText(),
    Stream.flatMap((piece) => {
      const blocks = (rest + piece).split("\n\n")
      rest = blocks.pop() ?? ""
      return Stream.fromIterable(blocks)
    }),
    Stream.map((block) => ({ event: fieldOf(block, "event"), data: fieldOf(block, "data") })),
    Stream.filter(({ data }) => data !== "")
  )
}

const forwardTo = (url: string, body: string) =>
  Effect.tryPromise({
    try: () =>
      fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } }),
    catch: () => refused(`${url} can't be reached.`)
  }).pipe(
    Effect.matchEffect({
      onSuccess: ({ status }) => say(`${url} answered ${status}`),
      onFailure: () => say(`${url} can't be reached`)
    })
  )

const listen = Command.make(
  "listen",
  { forward: textFlag("forward", "A URL that each event is posted to as well, unsigned") },
  (given) =>
    withApi(({ client, isEmbedded }) =>
      Effect.gen(function* () {
        if (isEmbedded)
          return yield* wrongUse("webhooks listen hears a server: name it with --url.")
        const once = Effect.gen(function* () {
          const bytes = yield* client.events.follow({ query: {} })
          yield* say("Listening; Ctrl-C ends it.")
          yield* Stream.runForEach(toldIn(bytes), ({ data, event }) =>
            Effect.gen(function* () {
              yield* showOne(
                { event, data: JSON.parse(data) as unknown },
                () => `${event}  ${data}`
              )
              // How far runs are is shown here alone: no webhook gets it.
              const isSent = given.forward._tag === "Some" && !event.startsWith("run.")
              if (isSent) yield* forwardTo(given.forward.value, data)
            })
          )
        })
        return yield* Effect.forever(once)
      })
    )
).pipe(Command.withDescription("Print the account's events as they happen"))

const headersOf = (content: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    content
      .split(/\r?\n/)
      .map((line) => /^([^:\s]+):\s*(.*)$/.exec(line))
      .flatMap((found) => (found === null ? [] : [[found[1]!.toLowerCase(), found[2]!]]))
  )

const verify = Command.make(
  "verify",
  {
    body: file("The body as it arrived"),
    headers: Flag.String("headers").pipe(
      Flag.withDescription("A file with the headers of the request, one a line")
    ),
    secret: Flag.String("secret-file").pipe(
      Flag.withDescription("A file with the endpoint's secret, whsec_…")
    )
  },
  (given) =>
    Effect.gen(function* () {
      const headers = headersOf(yield* textOf(given.headers))
      const secret = (yield* textOf(given.secret)).trim()
      const now = yield* Clock.currentTimeMillis
      const path = pathOf(given.body)
      const found = yield* Effect.try({
        try: () => verifyNotification({ headers, secret, rawBody: readFileSync(path), now }),
        catch: (error) => refused(error instanceof Error ? error.message : String(error))
      })
      yield* show(found, (one) =>
        pairs([
          ["genuine", "yes"],
          ["event", one.event],
          ["id", one.id],
          ["signature", one.scheme]
        ])
      )
    })
).pipe(Command.withDescription("Check the signature of a request that arrived"))

const replay = Command.make(
  "replay",
  {
    id: idArgument("An endpoint's id"),
    since: Flag.String("since").pipe(Flag.withDescription("From this day or moment on")),
    until: textFlag("until", "Up to this day or moment"),
    mode: Flag.String("mode").pipe(
      Flag.withDescription("Which: failed, missing, undelivered or all"),
      Flag.withDefault("undelivered")
    ),
    events: textFlag("events", "Kinds of event, with commas between")
  },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const day = /^\d{4}-\d{2}-\d{2}$/
        const payload = yield* request(ReplayRequest, {
          since: day.test(given.since) ? `${given.since}T00:00:00Z` : given.since,
          until: moment(given.until),
          mode: given.mode,
          events: splitList(given.events)
        })
        const begun = yield* client.webhooks.replay({ params: { id: given.id }, payload })
        yield* show(begun, (one) =>
          pairs([
            ["id", one.id],
            ["status", one.status],
            ["mode", one.mode],
            ["since", one.since]
          ])
        )
      })
    )
).pipe(Command.withDescription("Send failed, missed or all deliveries again"))

/** `candlewick webhooks`. @category commands @since 0.1.0 */
export const webhooksCommand = Command.make("webhooks").pipe(
  Command.withDescription("Webhooks: list, listen, verify, replay"),
  Command.withSubcommands([list, listen, verify, replay])
)
