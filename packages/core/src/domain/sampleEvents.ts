/**
 * The samples for a receiver that is tried out: each event with plausible fields.
 *
 * `test: true` stands in each of them, so that no receiver books a trade that never was.
 *
 * @since 0.1.0
 */
import type { EventName } from "./DomainEvent.ts"

/** The `data` of a sample of each event. @category tables @since 0.1.0 */
export const sampleEvents: Record<EventName, Readonly<Record<string, unknown>>> = {
  "strategy.generated": {
    strategy_id: "str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    name: "Trend of two averages",
    objective: "sharpe",
    risk_tolerance: "medium",
    timeframe: "1h",
    verdict: "promising",
    test: true
  },
  "strategy.optimized": {
    optimization_id: "opt_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    strategy_id: "str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    objective: "sharpe",
    best_parameters: { fast: 12, slow: 26 },
    in_sample: { sharpe: 1.4 },
    out_of_sample: { sharpe: 0.9 },
    test: true
  },
  "backtest.complete": {
    backtest_id: "bt_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    strategy_id: "str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    status: "completed",
    metrics: { total_return: 0.12, max_drawdown: 0.05, sharpe: 1.1 },
    test: true
  },
  "trade.executed": {
    trade_id: "trd_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    symbol: "BTC/USDT",
    side: "buy",
    amount: 0.25,
    price: 64_250.5,
    bot_id: "bot_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    order_id: "ord_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    client_order_id: "sample-1",
    fee: 16.062_625,
    fee_currency: "USDT",
    executed_at: "2026-01-15T09:30:00.000Z",
    position_effect: "open",
    realized_pnl: null,
    test: true
  },
  "alert.triggered": {
    alert_id: "alr_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    kind: "price",
    bot_id: null,
    metric: "price",
    threshold: 65_000,
    value: 65_010.5,
    symbol: "BTC/USDT",
    message: "BTC/USDT crossed above 65000",
    test: true
  }
}
