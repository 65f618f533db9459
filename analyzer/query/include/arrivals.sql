-- arrivals: when each member came and went, in ns by the leader's clock since
-- the communicator's first end. met: the same of each collective.
-- Steps as all ranks number them. at_work: 0 outside of steps and in a crowded
-- one; middle_at is of those at work. Needs: taken, step_places, fits.
arrivals AS (
  SELECT t.run, t.rank, t.device, t.communicator, t.lane, t.kind, t.own_kind,
    t.nth, t.ranks, t.bytes, coalesce(p.at_step, t.step) AS step,
    t.begin_ns, t.end_ns,
    (t.begin_ns - s.first_ns - f.offset_ns) * (1e0 - f.drift) AS begin_at,
    (t.end_ns - s.first_ns - f.offset_ns) * (1e0 - f.drift) AS end_at,
    CASE WHEN t.step IS NULL OR c.rank IS NOT NULL THEN 0 ELSE 1 END AS at_work
  FROM taken t
  JOIN spans s ON t.run = s.run AND t.communicator = s.communicator
    AND t.lane = s.lane
  JOIN fits f ON t.run = f.run AND t.communicator = f.communicator
    AND t.lane = f.lane AND t.rank = f.rank
  LEFT JOIN step_places p ON t.run = p.run AND t.rank = p.rank
    AND t.step = p.step
  LEFT JOIN crowded c ON t.run = c.run AND t.rank = c.rank
    AND t.step = c.step
  WHERE t.end_ns IS NOT NULL),
met AS (
  SELECT run, communicator, lane, kind, nth, count(*) AS members,
    max(ranks) AS ranks, max(bytes) AS bytes, min(step) AS step,
    min(begin_at) AS first_at, max(begin_at) AS last_at,
    coalesce(median(CASE WHEN at_work = 1 THEN begin_at END),
      median(begin_at)) AS middle_at, avg(begin_at) AS mean_at,
    greatest(median(end_at) - max(begin_at), 0e0) AS transfer_ns
  FROM arrivals GROUP BY run, communicator, lane, kind, nth
  HAVING count(*) > 1)
