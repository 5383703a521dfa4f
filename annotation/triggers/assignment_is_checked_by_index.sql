PERFORM set_config('enable_seqscan', 'off', true);
RETURN NULL;
