import {
  chatTextMaxCounts,
  type EventName,
  eventNames,
  makeEvent,
  namelessEvent,
  notificationBody,
  sampleEvents
} from "@candlewick/core/domain"
import { assert, describe, it } from "@effect/vitest"

const eventOf = (event: EventName, data: Readonly<Record<string, unknown>>) =>
  makeEvent(
    {
      id: "msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
      account_id: "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
      event,
      timestamp: "2026-01-15T09:30:00.000Z"
    },
    data
  )

const { test: _test, ...trade } = sampleEvents["trade.executed"]
const alpha = { bot: { name: "Alpha", mode: "paper" } as const, strategy: null }

const bodyOf = (
  format: "slack" | "discord" | "telegram",
  data: Readonly<Record<string, unknown>> = trade,
  names: Parameters<typeof notificationBody>[2] = alpha,
  event: EventName = "trade.executed"
) => {
  const chat_id = format === "telegram" ? "-100123" : null
  const endpoint = { format, chat_id, payload: "plain" } as const
  return JSON.parse(notificationBody(eventOf(event, data), endpoint, names))
}

const sentence =
  'Bot "Alpha" (paper) bought 0.25 BTC/USDT at 64,250.5 USDT and opened a position. ' +
  "The fee is 16.062625 USDT. The trade is of 2026-01-15T09:30:00.000Z."

describe("a notification for a chat", () => {
  it("is the message that each service documents, and nothing else", () => {
    assert.deepStrictEqual(bodyOf("slack"), {
      text: sentence,
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false
    })
    assert.deepStrictEqual(bodyOf("telegram"), {
      chat_id: "-100123",
      text: sentence,
      link_preview_options: { is_disabled: true }
    })
    assert.deepStrictEqual(bodyOf("discord"), {
      content: sentence,
      allowed_mentions: { parse: [] },
      flags: 4
    })
  })

  it("tells each of the events in sentences, as a sample where it is one", () => {
    const texts = eventNames.map(
      (event) => bodyOf("telegram", sampleEvents[event], namelessEvent, event).text
    )
    assert.deepStrictEqual(texts, [
      'This is a sample. A new strategy is ready: strategy "Trend of two averages" (1h). ' +
        "The objective: sharpe. The verdict: promising.",
      "This is a sample. The optimization of strategy str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F for sharpe is " +
        "complete. The best parameters: fast 12, slow 26. In sample: Sharpe ratio 1.4. " +
        "Out of sample: Sharpe ratio 0.9.",
      "This is a sample. The backtest of strategy str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F is complete. " +
        "Its figures: total return 12 %, largest drawdown 5 %, Sharpe ratio 1.1. " +
        "Its id is bt_01JHKQ8Z7M3V5W9X2Y4B6C8D0F.",
      "This is a sample. Bot bot_01JHKQ8Z7M3V5W9X2Y4B6C8D0F bought 0.25 BTC/USDT at 64,250.5 USDT " +
        "and opened a position. The fee is 16.062625 USDT. The trade is of 2026-01-15T09:30:00.000Z.",
      "This is a sample. Alert: BTC/USDT crossed above 65000. " +
        "The value is 65,010.5, the threshold 65,000."
    ])
  })

  it("says how a position ended, and why a backtest failed", () => {
    const closed = { ...trade, side: "sell", position_effect: "close", realized_pnl: -12.5 }
    assert.include(bodyOf("slack", closed).text, "sold 0.25 BTC/USDT at 64,250.5 USDT and closed")
    assert.include(bodyOf("slack", closed).text, "The result is -12.5 USDT.")
    const failed = {
      backtest_id: "bt_1",
      strategy_id: "str_1",
      status: "failed",
      metrics: null,
      error: { code: "no_candles", message: "There are no candles." }
    }
    const names = { bot: null, strategy: { name: "Two averages" } }
    assert.strictEqual(
      bodyOf("slack", failed, names, "backtest.complete").text,
      'The backtest of strategy "Two averages" failed. The reason: There are no candles. ' +
        "Its id is bt_1."
    )
  })

  it("lets no name format a message, link, or call the people of a channel", () => {
    const names = { bot: { name: "<!channel> *x* @everyone & _y_", mode: "live" }, strategy: null }
    const { text } = bodyOf("slack", trade, names as typeof alpha)
    assert.include(text, '"&lt;!channel&gt; *x* @everyone &amp; _y_" (live)')
    const { allowed_mentions, content } = bodyOf("discord", trade, names as typeof alpha)
    assert.include(content, '"\\<!channel\\> \\*x\\* \\@everyone & \\_y\\_" (live)')
    assert.deepStrictEqual(allowed_mentions, { parse: [] })
  })

  it("is cut where its service would refuse it, between characters", () => {
    const long = { ...sampleEvents["alert.triggered"], message: "<😀".repeat(5_000) }
    const textsOf = {
      slack: bodyOf("slack", long, namelessEvent, "alert.triggered").text,
      discord: bodyOf("discord", long, namelessEvent, "alert.triggered").content,
      telegram: bodyOf("telegram", long, namelessEvent, "alert.triggered").text
    }
    for (const format of ["slack", "discord", "telegram"] as const) {
      const text = textsOf[format]
      assert.isAtMost(text.length, chatTextMaxCounts[format])
      assert.isAtLeast(text.length, chatTextMaxCounts[format] - 5)
      assert.isTrue(text.endsWith("…"))
      assert.isTrue(text.isWellFormed())
    }
    assert.notMatch(textsOf.slack, /&(?!lt;)/)
  })

  it("says what it can where the data was too long to be sent", () => {
    const huge = { ...trade, note: "x".repeat(300_000) }
    assert.strictEqual(
      bodyOf("slack", huge, alpha).text,
      "The event trade.executed is too long for a message. " +
        "All of it is at /api/v1/bots/bot_01JHKQ8Z7M3V5W9X2Y4B6C8D0F/trades."
    )
  })

  it("leaves the signed envelope as it is by default", () => {
    const event = eventOf("trade.executed", trade)
    const endpoint = { format: "candlewick", chat_id: null, payload: "plain" } as const
    assert.strictEqual(notificationBody(event, endpoint, namelessEvent), event.body)
  })
})
