"""What training PA-BDM is made of; the script is docpipe.training.train_pabdm."""
