/**
 * The bytes that an endpoint gets of an event.
 *
 * They are the signed envelope, or the message of a chat service in its documented shape.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { bodyFor, type DomainEvent } from "../DomainEvent.ts"
import type { NotificationFormat } from "../NotificationFormat.ts"
import type { WebhookEndpoint } from "../WebhookEndpoint.ts"
import { describeEvent, type EventNames } from "./describeEvent.ts"

/** The most characters of a message that each service takes and shows whole. @category constants */
export const chatTextMaxCounts = { slack: 4000, discord: 2000, telegram: 4096 } as const

const cutMark = "…"

/** Writes a text by the rules of a service, cut where the service would cut or refuse it. */
const fit = (text: string, maxCount: number, write: (character: string) => string): string => {
  let fitting = ""
  let whole = ""
  // By code points, so that no character is split.
  for (const character of text.toWellFormed()) {
    whole += write(character)
    if (whole.length <= maxCount - cutMark.length) fitting = whole
    else if (whole.length > maxCount) return fitting + cutMark
  }
  return whole
}

const asIs = (character: string): string => character

const slackEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const forSlack = (character: string): string => slackEscapes[character] ?? character

const discordMarks = /[\\*_~`|>#[\]<@]/

const forDiscord = (character: string): string =>
  discordMarks.test(character) ? `\\${character}` : character

/** The flag that keeps Discord from unfolding the links of a message. */
const suppressEmbeds = 4

type Chat = Pick<WebhookEndpoint, "format" | "chat_id">

/** The message of a chat service, as data. */
const messageOf = (text: string, { chat_id, format }: Chat): Readonly<Record<string, unknown>> => {
  if (format === "slack") {
    const fitting = fit(text, chatTextMaxCounts.slack, forSlack)
    return { text: fitting, mrkdwn: false, unfurl_links: false, unfurl_media: false }
  }
  if (format === "discord") {
    const content = fit(text, chatTextMaxCounts.discord, forDiscord)
    // No name of a bot may call the people of a channel.
    return { content, allowed_mentions: { parse: [] }, flags: suppressEmbeds }
  }
  return {
    chat_id,
    text: fit(text, chatTextMaxCounts.telegram, asIs),
    link_preview_options: { is_disabled: true }
  }
}

const decodeBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Record(Schema.String, Schema.Unknown) }))
)

/** The data of an event. @category models @since 0.1.0 */
export const dataOf = (event: DomainEvent): Readonly<Record<string, unknown>> =>
  decodeBody(event.body).data

/**
 * The body of an event as an endpoint gets it; frozen from then on, through retries and replays.
 *
 * @category models
 * @since 0.1.0
 */
export const notificationBody = (
  event: DomainEvent,
  endpoint: Chat & Pick<WebhookEndpoint, "payload">,
  names: EventNames
): string =>
  endpoint.format === "candlewick"
    ? bodyFor(event, endpoint.payload)
    : JSON.stringify(messageOf(describeEvent(event.event, dataOf(event), names), endpoint))

/** The demands of a format on an address. @category predicates @since 0.1.0 */
export const isAddressOf = (format: NotificationFormat, url: string): boolean =>
  format !== "telegram" || /^[^?#]*\/bot[^/?#]+\/sendMessage$/.test(url)
