"""Why a schedule is as it is: sentences with numbers, one module for each subject."""
