"""paddle.dataset.movielens: ratings of films."""

from refluid.data.datasets.movielens import (
    MD5 as MD5,
    URL as URL,
    MovieInfo as MovieInfo,
    UserInfo as UserInfo,
    age_table as age_table,
    fetch as fetch,
    get_movie_title_dict as get_movie_title_dict,
    max_job_id as max_job_id,
    max_movie_id as max_movie_id,
    max_user_id as max_user_id,
    movie_categories as movie_categories,
    movie_info as movie_info,
    test as test,
    train as train,
    user_info as user_info,
)

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)
