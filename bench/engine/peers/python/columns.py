"""Averages of Wilder and exponential ones in the catalogue's conventions: seeded with the mean of their first values.

Both libraries seed their own otherwise, so that the first trades would differ.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def wilder(values, period):
    """Wilder's average of a column that may begin with one value that is missing."""
    column = np.full(values.size, np.nan)
    first = 1 if np.isnan(values[0]) else 0
    seeded = first + period - 1
    average = values[first : seeded + 1].mean()
    column[seeded] = average
    for index in range(seeded + 1, values.size):
        average += (values[index] - average) / period
        column[index] = average
    return column


@njit(cache=True)
def ema(values, period):
    """Exponential moving average."""
    column = np.full(values.size, np.nan)
    average = values[:period].mean()
    column[period - 1] = average
    weight = 2 / (period + 1)
    for index in range(period, values.size):
        average += weight * (values[index] - average)
        column[index] = average
    return column


@njit(cache=True)
def rsi(close, period):
    """Relative strength index."""
    gains = np.full(close.size, np.nan)
    losses = np.full(close.size, np.nan)
    for index in range(1, close.size):
        change = close[index] - close[index - 1]
        gains[index] = max(change, 0.0)
        losses[index] = max(-change, 0.0)
    gain = wilder(gains, period)
    loss = wilder(losses, period)
    return 100 * gain / (gain + loss)


@njit(cache=True)
def atr(high, low, close, period):
    """Average true range."""
    ranges = np.full(close.size, np.nan)
    for index in range(1, close.size):
        before = close[index - 1]
        ranges[index] = max(
            high[index] - low[index], abs(high[index] - before), abs(low[index] - before)
        )
    return wilder(ranges, period)
