/**
 * The HTTP operation for the events of an account, as they happen.
 *
 * It streams. A reader goes on after the last number that it got, and misses nothing that the
 * account still keeps.
 *
 * @since 0.1.0
 */
import { eventNames, Limits } from "@candlewick/core/domain"
import { Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"

/** The media type of streams. @category tables @since 0.1.0 */
export const eventStreamMediaType = "text/event-stream"

/** The events of runs, besides the ones that webhooks get. @category tables @since 0.1.0 */
export const runEventNames = ["run.progress", "run.ended"] as const

/** Everything that a stream may be asked for. @category tables @since 0.1.0 */
export const streamedEventNames = [...eventNames, ...runEventNames] as const

/** The name of something that is streamed. @category models @since 0.1.0 */
export type StreamedEventName = (typeof streamedEventNames)[number]

/** Names of the wanted events, with commas between. @category schemas @since 0.1.0 */
export const StreamedEventNames = Schema.String.annotate({
  description: `The wanted ones of ${streamedEventNames.join(", ")}, with commas between.`
}).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.Literals(streamedEventNames)),
    SchemaTransformation.transform({
      decode: (text): ReadonlyArray<StreamedEventName> =>
        text.split(",").map((name) => name.trim() as StreamedEventName),
      encode: (names) => names.join(",")
    })
  )
)

/** The events of an account, as they happen. @category groups @since 0.1.0 */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("follow", "/events", {
      query: { types: Schema.optionalKey(StreamedEventNames) },
      success: HttpApiSchema.StreamUint8Array({ contentType: eventStreamMediaType })
    }).annotateMerge(
      describeOperation(
        "Streams the account's events and the progress of its runs",
        { scopes: ["bots:read", "strategies:read"] },
        {
          isFollowed: true,
          types: [eventStreamMediaType],
          description:
            "Server-sent events. Events of webhooks have the same ids and envelopes as there, `id` " +
            "and `type` included, and are numbered. The stream begins after `Last-Event-ID`, or with " +
            `the next event. The newest ${Limits.eventsPerAccountMaxCount} of an account are kept ` +
            "for that; of older ones, `events.missed` names the missing numbers. `run.progress` and " +
            "`run.ended` report generations, optimizations and backtests, at first all that are under " +
            "way. They have no number and are not repeated. The stream ends after " +
            `${Limits.followMaxSeconds} s at most, or where its reader took nothing for ` +
            `${Limits.followStallMaxSeconds} s. The reader then connects again.`
        }
      )
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1") {}
