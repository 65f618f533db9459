-- step_places: the number that a rank's step has by the others' count, for ranks
-- may begin to count at different steps, or find one more: steps are the same
-- that hold the same collectives. shifts: the usual difference of a rank.
-- Needs: taken.
counted AS (
  SELECT run, communicator, lane, kind, nth,
    CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY step) AS BIGINT) AS step
  FROM taken WHERE step IS NOT NULL
  GROUP BY run, communicator, lane, kind, nth
  HAVING count(DISTINCT rank) > 1),
votes AS (
  SELECT t.run, t.rank, t.step, c.step AS at_step, count(*) AS n
  FROM taken t JOIN counted c ON t.run = c.run
    AND t.communicator = c.communicator AND t.lane = c.lane
    AND t.kind = c.kind AND t.nth = c.nth
  WHERE t.step IS NOT NULL
  GROUP BY t.run, t.rank, t.step, c.step),
step_places AS (
  SELECT run, rank, step, at_step FROM (
    SELECT run, rank, step, at_step, row_number() OVER (
      PARTITION BY run, rank, step
      ORDER BY n DESC, abs(at_step - step), at_step) AS best
    FROM votes) ordered
  WHERE best = 1),
shifts AS (
  SELECT run, rank, shift FROM (
    SELECT run, rank, at_step - step AS shift, row_number() OVER (
      PARTITION BY run, rank
      ORDER BY count(*) DESC, abs(at_step - step), at_step - step) AS best
    FROM step_places GROUP BY run, rank, at_step - step) ordered
  WHERE best = 1)
