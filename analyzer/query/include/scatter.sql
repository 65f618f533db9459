-- scatter: how far the excess of a step lies from what it usually is, by chance:
-- of each kind of a run, the median over ranks of what neighbouring steps differ
-- by, as a standard deviation. Needs: changing, with run, kind, rank, device,
-- step and excess. Sequences of random lengths make it large. What lasts for n
-- steps must exceed `five_errors` by the root of n: five standard errors of a
-- median (1.25 deviations each), for it is asked of each step and of up to a
-- thousand ranks.
jumps AS (
  SELECT run, kind, rank, device, abs(excess - lag(excess) OVER (
    PARTITION BY run, kind, rank, device ORDER BY step)) AS jump
  FROM changing),
rank_jumps AS (
  SELECT run, kind, rank, device, median(jump) AS jump
  FROM jumps GROUP BY run, kind, rank, device),
scatter AS (
  SELECT run, kind, 5e0 * 1.25e0 * 1.05e0 * coalesce(median(jump), 0e0)
    AS five_errors
  FROM rank_jumps GROUP BY run, kind)
