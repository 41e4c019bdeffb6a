/**
 * The HTTP operations on alerts: make, change, remove, list.
 *
 * An alert watches a price, a bot or the kill switch. It fires as the event `alert.triggered`, and never in an
 * answer of these operations.
 *
 * @since 0.1.0
 */
import {
  AlertChanges,
  alertFilter,
  AlertId,
  alertOperations,
  AlertRequest
} from "@candlewick/core/domain"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, answerRows, Validation } from "./Authorization.ts"
import { BooleanText, filteredQuery, PageOf } from "./Page.ts"
import { AlertRecord } from "./records.ts"

const params = { id: AlertId }

/** Alerts on prices and on bots. @category groups @since 0.1.0 */
export class AlertsApi extends HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.post("create", "/", {
      payload: AlertRequest,
      success: AlertRecord.pipe(HttpApiSchema.status(201))
    }).annotateMerge(describeOperation("Creates an alert", alertOperations.create)),
    HttpApiEndpoint.get("list", "/", {
      query: filteredQuery({ ...alertFilter, is_enabled: BooleanText }),
      success: PageOf(AlertRecord)
    }).annotateMerge(
      describeOperation("Lists alerts, newest first", alertOperations.list, {
        rows: answerRows(AlertRecord)
      })
    ),
    HttpApiEndpoint.get("get", "/:id", { params, success: AlertRecord }).annotateMerge(
      describeOperation("Returns one alert", alertOperations.get)
    ),
    HttpApiEndpoint.put("update", "/:id", {
      params,
      payload: AlertChanges,
      success: AlertRecord
    }).annotateMerge(
      describeOperation("Updates an alert and arms it again", alertOperations.update)
    ),
    HttpApiEndpoint.delete("remove", "/:id", {
      params,
      success: HttpApiSchema.NoContent
    }).annotateMerge(describeOperation("Removes an alert", alertOperations.remove))
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1/alerts") {}
