-- step_places: the number that a rank's step has by the others' count, for ranks
-- may begin to count at different steps, or find one more: steps are the same
-- that hold the same collectives. shifts: the usual difference of a rank.
-- crowded: a step that holds those of several steps of others, for its rank has
-- no work left and only takes part in theirs; it is none of the steps. It holds
-- twice as many as its rank's steps do, though to another member they are those
-- of a step as usual. Needs: taken.
step_counts AS (
  SELECT run, rank, step, CAST(count(*) AS DOUBLE) AS n
  FROM taken WHERE step IS NOT NULL GROUP BY run, rank, step),
usual_counts AS (
  SELECT run, rank, median(n) AS n FROM step_counts GROUP BY run, rank),
full_steps AS (
  SELECT h.run, h.rank, h.step, h.n / u.n AS share
  FROM step_counts h JOIN usual_counts u ON h.run = u.run AND h.rank = u.rank
  WHERE h.n >= 2e0 * u.n),
in_full_steps AS (
  SELECT t.run, t.communicator, t.lane, t.kind, t.nth, t.rank, t.step, f.share
  FROM taken t JOIN full_steps f ON t.run = f.run AND t.rank = f.rank
    AND t.step = f.step),
beside AS (
  SELECT f.run, f.communicator, f.lane, f.kind, f.nth, f.rank, f.step, f.share,
    min(h.n / u.n) AS least
  FROM in_full_steps f
  JOIN taken t ON t.run = f.run AND t.communicator = f.communicator
    AND t.lane = f.lane AND t.kind = f.kind AND t.nth = f.nth
  JOIN step_counts h ON t.run = h.run AND t.rank = h.rank AND t.step = h.step
  JOIN usual_counts u ON t.run = u.run AND t.rank = u.rank
  GROUP BY f.run, f.communicator, f.lane, f.kind, f.nth, f.rank, f.step,
    f.share),
crowded AS (
  SELECT run, rank, step FROM beside
  GROUP BY run, rank, step
  HAVING max(share) >= 2e0 * median(least)),
counted AS (
  SELECT t.run, t.communicator, t.lane, t.kind, t.nth,
    CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY t.step) AS BIGINT) AS step
  FROM taken t LEFT JOIN crowded c ON t.run = c.run AND t.rank = c.rank
    AND t.step = c.step
  WHERE t.step IS NOT NULL AND c.rank IS NULL
  GROUP BY t.run, t.communicator, t.lane, t.kind, t.nth
  HAVING count(DISTINCT t.rank) > 1),
votes AS (
  SELECT t.run, t.rank, t.step, c.step AS at_step, count(*) AS n
  FROM taken t JOIN counted c ON t.run = c.run
    AND t.communicator = c.communicator AND t.lane = c.lane
    AND t.kind = c.kind AND t.nth = c.nth
  LEFT JOIN crowded w ON t.run = w.run AND t.rank = w.rank
    AND t.step = w.step
  WHERE t.step IS NOT NULL AND w.rank IS NULL
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
