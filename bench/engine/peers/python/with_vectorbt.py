"""Rows 1, 3 and 4 with vectorbt, and two markets with shared cash: runs are columns of a matrix."""

import columns
import numpy as np
import pandas as pd
import vectorbt as vbt

EXIT_LEVEL = 70

# As `sharedMarket` in loops/twoMarkets.ts has them.
SHARED_CASH = 10_000
SHARED_QUANTITY = 0.25
SHARED_LOT = 1 / 1024


def simulate(frame, entries, exits, fee, **options):
    """All in at the close, capital 1, and the figures that are asked for.

    A year is one of candles of a minute.
    """
    portfolio = vbt.Portfolio.from_signals(
        frame["Close"], entries, exits, fees=fee, init_cash=1.0, freq="1min", **options
    )
    figures = (
        portfolio.total_return(),
        portfolio.sharpe_ratio(),
        -portfolio.max_drawdown(),
        portfolio.positions.count(),
    )
    return figures, portfolio.exit_trades.values


def crossing(frame, runs, fee):
    """In while the fast average is above the slow one; averages included."""
    close = frame["Close"]
    fast = vbt.MA.run(close, [run["fast"] for run in runs], short_name="fast")
    slow = vbt.MA.run(close, [run["slow"] for run in runs], short_name="slow")
    return simulate(frame, fast.ma_crossed_above(slow), fast.ma_crossed_below(slow), fee)


def shared_crossing(frame, runs, fee):
    """Two markets, a pair of columns for each run; a fixed quantity, or what cash pays for."""
    closes = [frame["Close"].to_numpy(), frame["Other"].to_numpy()]

    def matrix(name):
        each = [columns.ema(close, run[name]) for run in runs for close in closes]
        return np.column_stack(each)

    above = np.sign(matrix("fast") - matrix("slow"))
    entries = np.zeros(above.shape, dtype=bool)
    exits = np.zeros(above.shape, dtype=bool)
    entries[1:] = (above[1:] > 0) & (above[:-1] <= 0)
    exits[1:] = (above[1:] < 0) & (above[:-1] >= 0)
    portfolio = vbt.Portfolio.from_signals(
        pd.DataFrame(np.column_stack(closes * len(runs)), index=frame.index),
        entries,
        exits,
        size=SHARED_QUANTITY,
        size_granularity=SHARED_LOT,
        fees=fee,
        init_cash=SHARED_CASH,
        cash_sharing=True,
        group_by=np.repeat(np.arange(len(runs)), len(closes)),
        freq="1min",
    )
    figures = (
        portfolio.total_return(),
        portfolio.sharpe_ratio(),
        -portfolio.max_drawdown(),
        portfolio.positions.count(),
    )
    return figures, portfolio.exit_trades.values


def reversal_columns(frame):
    """RSI 14, the lower Bollinger band of 20 and ATR 14."""
    close = frame["Close"]
    values = close.to_numpy()
    return {
        "rsi": columns.rsi(values, 14),
        "lower": vbt.BBANDS.run(close, window=20, alpha=2).lower.to_numpy(),
        "atr": columns.atr(frame["High"].to_numpy(), frame["Low"].to_numpy(), values, 14),
    }


def reversal(frame, runs, fee, given=None):
    """Buys what has fallen far; stop and target in ATR. Computes what it isn't given."""
    close = frame["Close"].to_numpy()[:, None]
    found = given or reversal_columns(frame)
    rsi, lower = found["rsi"][:, None], found["lower"][:, None]
    range_of_close = found["atr"][:, None] / close
    level, stop, target = (
        np.array([run[name] for run in runs]) for name in ("level", "stop", "target")
    )
    return simulate(
        frame,
        (rsi < level) & (close < lower),
        np.broadcast_to(rsi > EXIT_LEVEL, (len(close), len(runs))),
        fee,
        open=frame["Open"],
        high=frame["High"],
        low=frame["Low"],
        sl_stop=range_of_close * stop,
        tp_stop=range_of_close * target,
    )


def answer(found):
    """Figures of every run, and the closed trades of the first."""
    figures, records = found
    closed = records[(records["status"] == 1) & (records["col"] == 0)]
    return {
        "figures": np.column_stack([np.atleast_1d(one) for one in figures]).ravel(),
        "trades": {
            "entryIndex": closed["entry_idx"],
            "exitIndex": closed["exit_idx"],
            "entryPrice": closed["entry_price"],
            "exitPrice": closed["exit_price"],
        },
    }
