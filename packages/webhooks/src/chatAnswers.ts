/**
 * Answers of chat services, which put a part of their verdict into the body.
 *
 * Only the beginning of a body is kept, so that it is searched and never parsed as a whole.
 *
 * @since 0.1.0
 */
import type { NotificationFormat } from "@candlewick/core"
import type { AttemptOutcome } from "./postNotification.ts"

const retryAfterShape = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d{1,9})?)/
const okShape = /^\s*\{\s*"ok"\s*:\s*true\b/

/** The longer of both waits: a header has whole seconds, Discord's body has fractions of them. */
const longerWait = (header: string | null, body: string | undefined): string | null => {
  if (body === undefined) return header
  const headerSeconds = Number(header ?? 0)
  return header === null || headerSeconds < Number(body) ? body : header
}

const isOk = (format: NotificationFormat, text: string | null): boolean => {
  if (format === "telegram") return text !== null && okShape.test(text)
  if (format === "slack") return text !== null && (text.trim() === "ok" || okShape.test(text))
  return true
}

/**
 * The meaning of an answer by the rules of the service that gave it. A wait that its body asks for
 * counts as `Retry-After`, and a 2xx whose body does not accept is a refusal.
 *
 * @category decisions
 * @since 0.1.0
 */
export const judgeAnswer = (
  format: NotificationFormat,
  outcome: AttemptOutcome
): AttemptOutcome => {
  if (format === "candlewick" || outcome._tag === "Unanswered") return outcome
  const { responseText, status } = outcome
  if (status >= 200 && status < 300) {
    return isOk(format, responseText) ? outcome : { ...outcome, isRefused: true }
  }
  const asked = format === "slack" ? undefined : retryAfterShape.exec(responseText ?? "")?.[1]
  return { ...outcome, retryAfter: longerWait(outcome.retryAfter, asked) }
}
