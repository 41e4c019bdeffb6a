/**
 * Webhook endpoints: registered, read, changed, removed, and the log of their deliveries.
 *
 * @since 0.1.0
 */
import { EventName, WebhookChanges, WebhookId, WebhookRequest } from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, operation, Validation } from "./Authorization.ts"
import { PageOf, pageQuery } from "./Page.ts"
import { DeliveryRecord, RegisteredRecord, WebhookRecord } from "./records.ts"

/** A kind of event that a webhook may ask for. @category schemas @since 0.1.0 */
export const EventType = Schema.Struct({ event: EventName, description: Schema.String })

const params = { id: WebhookId }

/** Webhook endpoints and their deliveries. @category groups @since 0.1.0 */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("register", "/", {
      payload: WebhookRequest,
      success: RegisteredRecord.pipe(HttpApiSchema.status(201))
    }).annotateMerge(
      operation("Registers a webhook endpoint", ["webhooks:write"], {
        description: "The answer shows the signing secret, once."
      })
    ),
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery,
      success: PageOf(WebhookRecord)
    }).annotateMerge(operation("Lists webhook endpoints, newest first", ["webhooks:read"])),
    HttpApiEndpoint.get("eventTypes", "/event-types", {
      success: Schema.Struct({ data: Schema.Array(EventType) })
    }).annotateMerge(operation("Lists the kinds of event", ["webhooks:read"])),
    HttpApiEndpoint.get("get", "/:id", { params, success: WebhookRecord }).annotateMerge(
      operation("Returns one webhook endpoint", ["webhooks:read"])
    ),
    HttpApiEndpoint.put("update", "/:id", {
      params,
      payload: WebhookChanges,
      success: WebhookRecord
    }).annotateMerge(operation("Updates a webhook endpoint", ["webhooks:write"])),
    HttpApiEndpoint.patch("change", "/:id", {
      params,
      payload: WebhookChanges,
      success: WebhookRecord
    }).annotateMerge(operation("Updates a webhook endpoint, as PUT does", ["webhooks:write"])),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      operation("Removes a webhook endpoint and cancels its deliveries", ["webhooks:write"])
    ),
    HttpApiEndpoint.get("deliveries", "/:id/deliveries", {
      params,
      query: pageQuery,
      success: PageOf(DeliveryRecord)
    }).annotateMerge(
      operation("Lists deliveries with their attempts, newest first", ["webhooks:read"])
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/v1/webhooks") {}
