-- numbered: the used steps, by the number that all ranks give them, without
-- those that are crowded; own_step: by the rank's own. Needs: taken, step_places.
numbered AS (
  SELECT s.run, s.rank, s.process, s.device, s.step AS own_step,
    coalesce(p.at_step, s.step + coalesce(h.shift, 0)) AS step,
    s.begin_ns, s.end_ns, s.compute_ns, s.comm_exposed_ns, s.copy_exposed_ns,
    s.idle_ns, s.not_observed_ns, s.input_ns, s.dependency_ns, s.kernels
  FROM steps s
  LEFT JOIN step_places p ON s.run = p.run AND s.rank = p.rank
    AND s.step = p.step
  LEFT JOIN shifts h ON s.run = h.run AND s.rank = h.rank
  LEFT JOIN crowded c ON s.run = c.run AND s.rank = c.rank
    AND s.step = c.step
  WHERE s.use = 'used' AND c.rank IS NULL AND ({{run}} = '' OR s.run = {{run}})
    AND coalesce(p.at_step, s.step + coalesce(h.shift, 0))
      BETWEEN {{from_step}} AND {{to_step}})
