/**
 * The HTTP operations on webhooks: register, read, change, remove, replay.
 *
 * An endpoint's log has its deliveries and their attempts. A secret is shown once, in the answer
 * that makes it.
 *
 * @since 0.1.0
 */
import {
  DeliveryId,
  DeliveryMachine,
  EndpointMachine,
  EventName,
  replayFilter,
  ReplayId,
  ReplayRequest,
  SecretRotated,
  SecretRotation,
  Timestamp,
  WebhookChanges,
  WebhookId,
  webhookOperations,
  WebhookReplacement,
  WebhookRequest
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { filteredQuery, PageOf, pageQuery } from "./Page.ts"
import {
  DeliveryDetailsRecord,
  DeliveryRecord,
  RegisteredRecord,
  ReplayRecord,
  UpdatedWebhookRecord,
  WebhookRecord
} from "./records.ts"

/** A kind of event that a webhook may ask for. @category schemas @since 0.1.0 */
export const EventType = Schema.Struct({
  event: EventName,
  description: Schema.String,
  /** JSON Schema of the whole body. */
  schema: Schema.Record(Schema.String, Schema.Unknown)
})

const params = { id: WebhookId }
const deliveryParams = { ...params, delivery: DeliveryId }
const replayParams = { ...params, replay: ReplayId }
const accepted = <S extends Schema.Top>(record: S) => record.pipe(HttpApiSchema.status(202))

/** Webhook endpoints and their deliveries. @category groups @since 0.1.0 */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("register", "/", {
      payload: WebhookRequest,
      success: RegisteredRecord.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      describeOperation("Registers a webhook endpoint", webhookOperations.register, {
        showsSecret: true,
        description: "The answer shows the signing secret, once."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pageQuery,
        status: Schema.optionalKey(Schema.Literals(EndpointMachine.states)),
        event: Schema.optionalKey(EventName)
      },
      success: PageOf(WebhookRecord)
    }).annotateMerge(
      describeOperation("Lists webhook endpoints, newest first", webhookOperations.list)
    ),
    HttpApiEndpoint.get("eventTypes", "/event-types", {
      success: Schema.Struct({ data: Schema.Array(EventType) })
    }).annotateMerge(describeOperation("Lists the kinds of event", webhookOperations.list)),
    HttpApiEndpoint.get("get", "/:id", { params, success: WebhookRecord }).annotateMerge(
      describeOperation("Returns one webhook endpoint", webhookOperations.get)
    ),
    HttpApiEndpoint.put("update", "/:id", {
      params,
      payload: WebhookReplacement,
      success: UpdatedWebhookRecord
    }).annotateMerge(
      describeOperation("Replaces a webhook endpoint", webhookOperations.replace, {
        description:
          "A field that is left out goes back to its default; the secret and `status` stay."
      })
    ),
    HttpApiEndpoint.patch("change", "/:id", {
      params,
      payload: WebhookChanges,
      success: UpdatedWebhookRecord
    }).annotateMerge(
      describeOperation("Changes a webhook endpoint", webhookOperations.update, {
        description:
          "Setting `status` to `active` forgives past failures and suggests a replay of the missed events."
      })
    ),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      describeOperation(
        "Removes a webhook endpoint and cancels its deliveries",
        webhookOperations.remove
      )
    ),
    HttpApiEndpoint.post("test", "/:id/test", {
      params,
      payload: Schema.Struct({ event: Schema.optionalKey(EventName) }),
      success: accepted(DeliveryRecord)
    }).annotateMerge(
      describeOperation("Sends a sample of one event", webhookOperations.test, {
        quota: "runs",
        body: "optional",
        description: "Sends the first of the endpoint's events unless the request names one."
      })
    ),
    HttpApiEndpoint.post("rotateSecret", "/:id/secret/rotate", {
      params,
      payload: SecretRotation,
      success: SecretRotated
    }).annotateMerge(
      describeOperation("Makes a new signing secret", webhookOperations.rotateSecret, {
        showsSecret: true,
        body: "optional",
        description:
          "The answer shows the new secret once. The old one also signs until the overlap ends."
      })
    ),
    HttpApiEndpoint.post("activateSecret", "/:id/secret/activate", {
      params,
      success: WebhookRecord
    }).annotateMerge(
      describeOperation(
        "Signs X-Service-Signature with the new secret from now on",
        webhookOperations.activateSecret
      )
    ),
    HttpApiEndpoint.get("deliveries", "/:id/deliveries", {
      params,
      query: {
        ...pageQuery,
        status: Schema.optionalKey(Schema.Literals(DeliveryMachine.states)),
        event: Schema.optionalKey(EventName),
        since: Schema.optionalKey(Timestamp),
        until: Schema.optionalKey(Timestamp)
      },
      success: PageOf(DeliveryRecord)
    }).annotateMerge(
      describeOperation(
        "Lists deliveries with their attempts, newest first",
        webhookOperations.deliveries
      )
    ),
    HttpApiEndpoint.get("delivery", "/:id/deliveries/:delivery", {
      params: deliveryParams,
      success: DeliveryDetailsRecord
    }).annotateMerge(
      describeOperation(
        "Returns one delivery with its body and its attempts",
        webhookOperations.delivery
      )
    ),
    HttpApiEndpoint.post("redeliver", "/:id/deliveries/:delivery/redeliver", {
      params: deliveryParams,
      success: accepted(DeliveryRecord)
    }).annotateMerge(describeOperation("Sends a delivery once more", webhookOperations.redeliver)),
    HttpApiEndpoint.post("replay", "/:id/replay", {
      params,
      payload: ReplayRequest,
      success: accepted(ReplayRecord)
    }).annotateMerge(
      describeOperation("Sends failed, missed or all deliveries again", webhookOperations.replay, {
        quota: "runs",
        description:
          "Covers the last 14 days and at most 10 000 deliveries, which keep their ids. The server sends " +
          "them after its answer; `Location` names the replay."
      })
    ),
    HttpApiEndpoint.get("replays", "/:id/replays", {
      params,
      query: filteredQuery(replayFilter),
      success: PageOf(ReplayRecord)
    }).annotateMerge(
      describeOperation("Lists replays of an endpoint, newest first", webhookOperations.replays)
    ),
    HttpApiEndpoint.get("replayStatus", "/:id/replays/:replay", {
      params: replayParams,
      success: ReplayRecord
    }).annotateMerge(
      describeOperation("Returns the progress of a replay", webhookOperations.replayStatus)
    ),
    HttpApiEndpoint.post("cancelReplay", "/:id/replays/:replay/cancel", {
      params: replayParams,
      success: ReplayRecord
    }).annotateMerge(
      describeOperation("Cancels a replay", webhookOperations.cancelReplay, {
        description: "Deliveries already queued are still sent. A finished replay does not change."
      })
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/v1/webhooks") {}
